# shellcheck shell=bash source-path=SCRIPTDIR
# SPDX-License-Identifier: Apache-2.0
# What the scripts of this folder share. Sourced.
# Cases run side by side, each in a folder of its own, with paths that are relative to it: a checkpoint holds the deck,
# and so the same run gives the same bytes in every folder.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TESSEREC=$(realpath "${TESSEREC:-$here/../../build/tesserec}")
SHIM=$(realpath "${SHIM:-$here/../../build/tests/faults_shim.so}")
MUTATE=$(realpath "${MUTATE:-$here/../../build/tests/fault_mutate}")
LAUNCH=${LAUNCH:-mpirun --allow-run-as-root --oversubscribe -n}
LIMIT=${LIMIT:-30} # seconds until a run is a hang
JOBS=${JOBS:-6}    # cases side by side; most of their time is waiting
. "$here/../mpi.sh"
# Several jobs share the processors: a rank that waits lets the others run.
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
# In memory where there is room for it: cases are many and small.
[ -n "${TMPDIR:-}" ] || { [ -d /dev/shm ] && [ -w /dev/shm ] && TMPDIR=/dev/shm; }
folder=$(realpath "$(mktemp -d "${TMPDIR:-/tmp}/faults.XXXXXX")")
results=$folder/results
logs=. # where an attempt's out and err go
: >"$results"
session=faults.$$.$RANDOM

# marked TEXT: the processes whose environment has it.
marked() { grep -lsaF -- "FAULT_TAG=$1" /proc/[0-9]*/environ 2>/dev/null | cut -d / -f 3; }

# end_all TEXT: kills what attempts with this mark left, mpirun's ranks included.
end_all() {
  local pids
  mapfile -t pids < <(marked "$1")
  [ "${#pids[@]}" = 0 ] || kill -9 "${pids[@]}" 2>/dev/null
  return 0
}

clean_up() {
  end_all "$session."
  wait 2>/dev/null
  [ -z "${KEEP:-}" ] || cp "$results" "$KEEP"
  ! mountpoint -q "$folder" || umount -l "$folder"
  rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# lives TAG: whether a process of the program itself still runs under this mark.
lives() {
  local pid
  for pid in $(marked "$1"); do
    [ "$(readlink "/proc/$pid/exe")" = "$TESSEREC" ] && return 0
  done
  return 1
}

# attempt RANKS [NAME=VALUE...] -- ARGS...: the program in the working folder; with variables, under the shim. Leaves
# out and err in $logs, and $code: the exit code, or "hang". Nothing of it runs on.
attempt() {
  local ranks=$1 variables=() launch='' tag=$session.${mark:+$mark.}$BASHPID.$RANDOM$RANDOM. again done_
  # Jobs of mpirun that share a folder for their own files now and then take it away from one another.
  local own=$folder/mpi.$BASHPID
  shift
  while [ "$1" != -- ]; do
    variables+=("$1")
    shift
  done
  shift
  [ "${#variables[@]}" = 0 ] || variables+=("LD_PRELOAD=$SHIM")
  [ "$ranks" -gt 1 ] && launch="$LAUNCH $ranks"
  for again in 1 2 3; do
    rm -rf "$own" && mkdir "$own" || exit 1
    # shellcheck disable=SC2086
    exec {done_}< <(
      exec 2>/dev/null # the shell's own word about signals
      env "FAULT_TAG=$tag" "TMPDIR=$own" $launch env "${variables[@]}" "$TESSEREC" "$@" >"$logs/out" 2>"$logs/err" </dev/null
      echo $?
    )
    if read -r -t "$LIMIT" -u "$done_" code; then
      [ "$code" -lt 3 ] || end_all "$tag"
      exec {done_}<&-
      rm -rf "$own"
      return
    fi
    code=hang
    # Open MPI 4.1's mpirun now and then waits for ranks that are gone: that is no hang of the program's. Once more.
    lives "$tag" && again=last
    end_all "$tag"
    exec {done_}<&-
    [ "$again" = last ] && return
    [ -z "${reset:-}" ] || $reset
  done
}

. "$here/../app/lib_samples.sh"

# sums FOLDER: checksum, size and name of all its files but those that differ from run to run.
sums() { (cd "$1" 2>/dev/null && find . -type f ! -name lock ! -name metrics.jsonl ! -name run.json ! -name result.json -exec cksum {} + | sort -k 3); }

# holds FOLDER SUMS: whether all files of the list stand there as listed; others may stand beside them.
holds() { [ -s "$2" ] && [ -z "$(comm -13 <(sums "$1" | sort) <(sort "$2"))" ]; }
# is FOLDER SUMS: whether these are all, and no folder of another content stands there.
is() { [ -s "$2" ] && cmp -s <(sums "$1") "$2" && [ -z "$(find "$1" -mindepth 1 -type d -empty)" ]; }

verified() { "$TESSEREC" verify "$1" >"$logs/verify" 2>&1; }

digests() { grep -oE '"(weights|state)_digest": "[0-9a-f]*"' "$logs/out" 2>/dev/null | tr '\n' ' '; }
metrics() { sed -E 's/, "(samples_per_second|time)": [^,}]*//g' "$1" 2>/dev/null; }
has_message() { grep -q '^tesserec: ' "$logs/err"; }
message() { grep -m 1 '^tesserec: ' "$logs/err" | cut -c 1-400; }

# in_turn FUNCTION ARGS...: as soon as there is room, beside the others.
running=0
in_turn() {
  if [ "$running" -ge "$JOBS" ]; then
    wait -n
    running=$((running - 1))
  fi
  # The parent's trap is not the child's.
  (trap - EXIT INT TERM && "$@") &
  running=$((running + 1))
}
all_done() {
  wait
  running=0
}

# record WHAT RANKS KIND OUTCOME DETAIL...: one line, at once.
record() {
  local line="$1 $2 $3 $4"
  shift 4
  echo "$line $*" >>"$results"
  case $line in *' ok' | *' reported') ;; *) [ -z "${VERBOSE:-}" ] || echo "$line: $*" ;; esac
}

# table: what was recorded, and 1 if there is a bad outcome.
table() {
  awk '
    { key = $1 "\t" $2 "\t" $3; if (!(key in cases)) order[++rows] = key; cases[key]++; count[key, $4]++; all[$4]++ }
    END {
      format = "%-14s %5s %-8s %6s %6s %8s %7s %5s %6s %5s\n"
      printf format, "command", "ranks", "kind", "cases", "ok", "reported", "silent", "hang", "crash", "lost"
      for (i = 1; i <= rows; ++i) {
        k = order[i]; split(k, p, "\t")
        printf format, p[1], p[2], p[3], cases[k], count[k, "ok"] + 0, count[k, "reported"] + 0,
          count[k, "silent"] + 0, count[k, "hang"] + 0, count[k, "crash"] + 0, count[k, "lost"] + 0
      }
      printf format, "all", "", "", NR, all["ok"] + 0, all["reported"] + 0, all["silent"] + 0, all["hang"] + 0,
        all["crash"] + 0, all["lost"] + 0
      exit all["ok"] + all["reported"] != NR
    }' <(sort -s -k 1,1 -k 2,2n -k 3,3 "$results")
  local status=$?
  if [ "$status" != 0 ]; then
    echo "bad outcomes, by detail (at most 40):"
    grep -vE '^[^ ]+ [^ ]+ [^ ]+ (ok|reported) ' "$results" | cut -c 1-700 | sort | head -n 40
  fi
  [ -s "$results" ] || { echo "no cases"; status=1; }
  return "$status"
}
