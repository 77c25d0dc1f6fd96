#!/usr/bin/env bash
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# SPDX-License-Identifier: Apache-2.0
# Damaged files: COUNT random mutations of good checkpoints, datasets and score files, whole and in parts, given to
# `tesserec verify` and to a command that reads the file.
#   tests/faults/damage.sh COUNT [SEED]     3000: some minutes
# caught: exit code 2 with a message. unhurt: the command reads none of it, its result is the undisturbed one. Bad are
#   silent (exit code 0: of verify always, of a command with another result), crash and hang.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$here/commands.sh"
count=${1:?COUNT}
seed=${2:-1}
mutations=(flip cut zero swap foreign remove)

# good NAME [.other]: makes good/NAME, a checkpoint, data/ or scores; good/NAME.other is the same of other data.
good() {
  local name=$1 other=$2 deck=deck.toml seeds=(--set run.seed=1)
  mkdir -p "$folder/good/$name$other" && cd "$folder/good/$name$other" || exit 1
  parts=()
  case $name in *-parts) small_parts "$name" ;; esac
  small_decks
  mv "$folder/raw" .
  [ -z "$other" ] || { seeds=(--set run.seed=2); tac raw/train.txt >raw/t && mv raw/t raw/train.txt; }
  deal_rows
  case $name in
    data*)
      deck=criteo.toml
      undisturbed preprocess $deck
      ;;
    scores*)
      undisturbed train $deck --set train.steps=2 "${seeds[@]}"
      undisturbed predict $deck --scores scores/scores.h5 "${seeds[@]}"
      rm -r run
      ;;
    *) undisturbed train $deck --set train.steps=2 "${seeds[@]}" ;;
  esac
  rm -rf raw out err run/metrics.jsonl
}

# For each: the arguments of verify, and the files of the object.
path_of() {
  case $1 in
    data*) echo data/train.h5 ;;
    scores*) echo scores/scores.h5 ;;
    *) echo run/checkpoints/step_000000002 ;;
  esac
}
files_of() {
  case $1 in
    data*) find data -type f ! -path '*evaluate*' ;;
    scores*) find scores -type f ;;
    *) find run/checkpoints -type f ;;
  esac | sort
}
# Sets $reader to a command that reads everything.
reader() {
  case $1 in
    data*) reader=(train criteo.toml --json --set run.output=after) ;;
    scores*) reader=() ;;
    *) reader=(train deck.toml --json --set run.output=after --set train.steps=2
      --set checkpoint.resume=run/checkpoints/step_000000002) ;;
  esac
}

names=()
for name in checkpoint data scores checkpoint-parts data-parts scores-parts; do
  names+=("$name")
  for other in "" .other; do
    good "$name" "$other"
    files_of "$name" >"../$name$other.files"
  done
  cd "$folder/good/$name" || exit 1
  parts=()
  reader "$name"
  [ "${#reader[@]}" = 0 ] || undisturbed "${reader[@]}"
  digests >"../$name.digests"
  rm -rf after out err
  verified "$(path_of "$name")" || { echo "FAILED: verify refuses a good $name"; cat verify; exit 1; }
  rm -f verify
done

# judge NAME: sets $outcome from the $code of verify or of the reader.
judge() {
  case $code in
    0)
      outcome=silent
      [ "$1" != verify ] && [ "$(digests)" = "$(cat "$folder/good/$1.digests")" ] && outcome=unhurt
      ;;
    2) if has_message; then outcome=caught; else outcome=crash; fi ;;
    hang) outcome=hang ;;
    *) outcome=crash ;;
  esac
}

# damage NUMBER: makes one mutation in the working folder's copy; returns 1 if the drawn mutation changes nothing.
damage() {
  local name=${names[RANDOM % ${#names[@]}]} kind=${mutations[$(($1 % ${#mutations[@]}))]} all others i j what
  rm -rf ./* && cp -a "$folder/good/$name/." . || exit 1
  mapfile -t all <"$folder/good/$name.files"
  mapfile -t others <"$folder/good/$name.other.files"
  i=$((RANDOM % ${#all[@]}))
  local file=${all[i]}
  case $kind in
    swap | foreign) [ "${#all[@]}" -gt 1 ] || return ;; # one file that is all of it is whole in any place
  esac
  case $kind in
    swap)
      j=$(((i + 1 + RANDOM % (${#all[@]} - 1)) % ${#all[@]}))
      what="with ${all[j]}"
      ! cmp -s "$file" "${all[j]}" || return
      mv "$file" swapped && mv "${all[j]}" "$file" && mv swapped "${all[j]}"
      ;;
    foreign)
      what="of another"
      [ "$i" -lt "${#others[@]}" ] && ! cmp -s "$file" "$folder/good/$name.other/${others[i]}" || return
      cp "$folder/good/$name.other/${others[i]}" "$file"
      ;;
    remove) what= && rm "$file" ;;
    *)
      what=$("$MUTATE" "$kind" "$file" $((seed * 1000000 + $1))) || exit 1
      [ "$what" != unchanged ] || return
      ;;
  esac
  # Parts differ only in their numbers.
  local label
  label=$name/$(sed -E 's/^[0-9]+\./#./' <<<"${file##*/}")
  attempt 1 -- verify "$(path_of "$name")"
  judge verify
  record "$label" "$kind" verify "$outcome" "$file $what: code $code: $(message)"
  reader "$name"
  [ "${#reader[@]}" -gt 0 ] || return 0
  attempt 1 -- "${reader[@]}"
  judge "$name"
  record "$label" "$kind" read "$outcome" "$file $what: code $code: $(message)"
}

worker() {
  local n
  mkdir -p "$folder/worker.$1" && cd "$folder/worker.$1" || exit 1
  for n in $(seq "$1" "$JOBS" $((count - 1))); do
    RANDOM=$(((seed * 7919 + n) % 32768))
    until damage "$n"; do :; done
  done
}
for w in $(seq 0 $((JOBS - 1))); do in_turn worker "$w"; done
all_done

awk -v count="$count" '
  { key = $1 "\t" $2 "\t" $3; if (!(key in cases)) order[++rows] = key; cases[key]++; n[key, $4]++; all[$4]++ }
  END {
    format = "%-30s %-8s %-7s %6s %7s %7s %7s %6s %5s\n"
    printf format, "file", "mutation", "by", "cases", "caught", "unhurt", "silent", "crash", "hang"
    for (i = 1; i <= rows; ++i) {
      k = order[i]; split(k, p, "\t")
      printf format, p[1], p[2], p[3], cases[k], n[k, "caught"] + 0, n[k, "unhurt"] + 0, n[k, "silent"] + 0,
        n[k, "crash"] + 0, n[k, "hang"] + 0
    }
    printf format, "all " count " mutations", "", "", NR, all["caught"] + 0, all["unhurt"] + 0, all["silent"] + 0, all["crash"] + 0,
      all["hang"] + 0
    exit all["caught"] + all["unhurt"] != NR || NR == 0
  }' <(sort -s -k 1,3 "$results")
status=$?
if [ $status != 0 ]; then
  echo "bad outcomes (at most 40):"
  grep -vE '^[^ ]+ [^ ]+ [^ ]+ (caught|unhurt) ' "$results" | sort | head -n 40
fi
exit $status
