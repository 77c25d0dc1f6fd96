# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # of check.sh: out, deadline, computes_on, batch
# Sourced by check.sh: parts, each under its own time and what is left of the whole, and what is written about them.
names=() verdicts=() seconds=() measures=() objects=()
machine=() missing=()
comma_of=("" ",")
grace=3 # s between asking a part to end and ending it

miss() { missing+=("$*"); echo "missing: $*" >&2; }
left() { echo $((deadline - SECONDS - grace)); }

# note NAME VERDICT CODE SECONDS MEASURED COMMAND
note() {
  names+=("$1") verdicts+=("$2") seconds+=("$4") measures+=("$5")
  objects+=("{\"name\": \"$1\", \"verdict\": \"$2\", \"rc\": $3, \"seconds\": $4, \"measured\": $(quoted "$5"), \"command\": $(quoted "$6")}")
  [[ $3 != null ]] || return 0
  printf '%6s s  %-9s %s: %s\n' "$4" "$2" "$1" "$5" >&2
  write_json
}

# What a part's log says, in a line.
last_line() { grep -a -m1 -E '^(tesserec|mpirun): |[Ee]rror|failed|unable|not found' "$1" || grep -av '^[-= ]*$' "$1" | tail -n 1; }
test_line() {
  grep -a -m1 -E 'FAILED|failed where|^tesserec: ' "$1" || grep -aoE 'All tests passed.*|No test cases matched.*' "$1" | tail -n 1 || last_line "$1"
}
digest_line() {
  local digests
  digests=$(grep -aoE '"(weights|state)_digest": *"[0-9a-f]+"' "$1" | grep -oE '[0-9a-f]{16}' | tr '\n' ' ')
  if [[ -n $digests ]]; then echo "${digests% }"; else last_line "$1"; fi
}
sanitizer_line() { grep -a ' SUMMARY: ' "$1" | tail -n 1 | sed 's/^=* *//' | grep . || last_line "$1"; }
peer_line() { # of batches of $batch samples
  grep -a '"step_seconds"' "$1" | sed 's/.*"step_seconds": *//; s/[,}].*//' |
    awk -v b="$batch" '{ printf "step of %d samples: %.3f ms, %.0f samples/s\n", b, 1000 * $1, b / $1 }' | grep . || last_line "$1"
}
kernel_line() { # lookup, update and the memory they work in; a large product
  grep -aE '^  (device memory, (read|copied)|product of|embedding::(pool|move_runs))' "$1" | sed -E 's/^ *//; s/ {2,}/ /g' | paste -sd ';' | grep . ||
    last_line "$1"
}
whole_line() { grep -a '^step of ' "$1" || last_line "$1"; }

# Ranks that outlive their launcher would hold the GPU: whatever is left of the part's session ends.
session=
end_session() {
  local file text fields
  [[ -n $session ]] || return 0
  for file in /proc/[0-9]*/stat; do
    { text=$(<"$file"); } 2>/dev/null || continue
    read -ra fields <<<"${text##*) }"
    [[ ${fields[3]} != "$session" ]] || kill -KILL "${text%% *}" 2>/dev/null
  done
  session=
}

# part NAME SECONDS LINE COMMAND...: runs it, all its output to OUT/NAME.log; LINE FILE says what it measured. $judge,
# where the caller has one, may still change $verdict and $measured of one that went well.
part() {
  local name=$1 limit=$2 line=$3 rc=0 begin took whole=yes
  shift 3
  measured=
  if (($(left) < 2)); then
    verdict="no time"
    note "$name" "$verdict" null 0 "" "$*"
    return
  fi
  ((limit <= $(left))) || { limit=$(left); whole=no; }
  begin=${EPOCHREALTIME/./}
  setsid timeout -k "$grace" "$limit" "$@" >"$out/$name.log" 2>&1 </dev/null &
  session=$!
  wait "$session" || rc=$?
  took=$((${EPOCHREALTIME/./} - begin))
  end_session
  measured=$($line "$out/$name.log" | sed 's/\r//g; s/\x1b\[[0-9;]*m//g; s/^ *//' | cut -c1-400)
  verdict=ok
  if ((rc == 124 || (rc == 137 && took > limit * 1000000))); then
    verdict=TIMEOUT measured="not at its end after $limit s; $measured"
    [[ $whole == yes ]] || verdict="no time"
  elif ((rc != 0)); then
    verdict=FAILED
  else
    ${judge:-:}
  fi
  note "$name" "$verdict" "$rc" "$((took / 1000000)).$((took / 100000 % 10))" "$measured" "$*"
}

quoted() { printf '"%s"' "$(LC_ALL=C tr -cd '\11\40-\176' <<<"$1" | sed 's/\\/\\\\/g; s/"/\\"/g; s/\t/ /g')"; }
count() { # VERDICT...: of parts
  local verdict n=0 one
  for verdict in "${verdicts[@]}"; do for one in "$@"; do [[ $verdict != "$one" ]] || n=$((n + 1)); done; done
  echo $n
}

write_json() {
  local i last=$((${#names[@]} - 1)) line comma=
  {
    printf '{"computes_on": %s, "seconds": %s, "limit_seconds": %s,\n "machine": {' "$(quoted "$computes_on")" "$SECONDS" "$deadline"
    for line in "${machine[@]}"; do
      printf '%s%s: %s' "$comma" "$(quoted "${line%%$'\t'*}")" "$(quoted "${line#*$'\t'}")"
      comma=", "
    done
    printf '},\n "missing": ['
    comma=
    for line in "${missing[@]}"; do
      printf '%s%s' "$comma" "$(quoted "$line")"
      comma=", "
    done
    printf '],\n "parts": [\n'
    for ((i = 0; i <= last; ++i)); do printf '  %s%s\n' "${objects[i]}" "${comma_of[i < last]}"; done
    printf ' ]}\n'
  } >"$out/gpu.json.new"
  mv "$out/gpu.json.new" "$out/gpu.json"
}

rows() { # PATTERN: of the names of parts
  local i
  for ((i = 0; i < ${#names[@]}; ++i)); do
    # shellcheck disable=SC2053
    [[ ${names[i]} != $1 ]] || echo "| ${names[i]} | ${verdicts[i]} | ${seconds[i]} | ${measures[i]//|/\\|} |"
  done
}
table() { # TITLE PATTERN TEXT
  [[ -n $(rows "$2") ]] || return 0
  printf '\n### %s\n\n%s\n\n| part | verdict | s | measured |\n|---|---|---|---|\n%s\n' "$1" "$3" "$(rows "$2")"
}

write_page() {
  local line name
  {
    echo "## On a GPU"
    echo
    echo "By \`runs/gpu/check.sh\`, $(date -u +%F), in $SECONDS s. **The program computes on $computes_on.**"
    echo "Of ${#names[@]} parts $(count ok) are ok, $(count FAILED TIMEOUT DIFFERENT) are not; for $(count 'no time') there was no time."
    if ((${#missing[@]})); then
      printf '\nMissing:\n\n'
      printf -- '- %s\n' "${missing[@]}"
    fi
    printf '\n| machine | |\n|---|---|\n'
    for line in "${machine[@]}"; do
      echo "| ${line%%$'\t'*} | ${line#*$'\t'} |"
    done
    table "Start" "start*" "The program, and ranks that find each other."
    table "Tests" "test.*" "test.NAME.N: tests/NAME on N ranks that share the GPU."
    table "Digests" "digest.*" "Of weights and of optimizer state. simd computes on the host's processor in the same program; all must be equal to it, those of cublaslt to the first of their precision."
    table "compute-sanitizer" "sanitizer.*" "Of the tests of the portable kernels."
    table "Speed" "speed.*" "One rank on the Criteo Kaggle shape; PyTorch (runs/compare/peers.py) beside it."
    name=speed.tesserec.portable.$batch
    # shellcheck disable=SC2016
    [[ ! -f $out/$name.log ]] || printf '\n%s:\n\n```\n%s\n```\n' "$name" "$(grep -a '^  ' "$out/$name.log")"
  } >"$out/gpu.md"
}
