# shellcheck shell=bash source-path=SCRIPTDIR
# SPDX-License-Identifier: Apache-2.0
# Functions that the scripts of this folder share. Sourced. Cases run in parallel, each in a folder of its own with
# paths relative to it. A checkpoint holds the deck, so the same run gives the same bytes in every folder.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TESSEREC=$(realpath "${TESSEREC:-$here/../../build/tesserec}")
SHIM=$(realpath "${SHIM:-$here/../../build/tests/faults_shim.so}")
MUTATE=$(realpath "${MUTATE:-$here/../../build/tests/fault_mutate}")
LAUNCH=${LAUNCH:-mpirun --allow-run-as-root --oversubscribe -n}
LIMIT=${LIMIT:-30} # seconds until a run is a hang
JOBS=${JOBS:-6}    # cases in parallel; they mostly wait
. "$here/../mpi.sh"
# Several jobs share the processors: a waiting rank lets the others run.
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
# In memory if it has the space: cases are many and small.
[ -n "${TMPDIR:-}" ] || { [ -d /dev/shm ] && [ -w /dev/shm ] && TMPDIR=/dev/shm; }
folder=$(realpath "$(mktemp -d "${TMPDIR:-/tmp}/faults.XXXXXX")")
results=$folder/results
logs=. # folder for the out and err of an attempt
: >"$results"
session=faults.$$.$RANDOM

# marked TEXT: prints the processes whose environment contains the text.
marked() { grep -lsaF -- "FAULT_TAG=$1" /proc/[0-9]*/environ 2>/dev/null | cut -d / -f 3; }

# end_all TEXT: kills the processes that attempts with this mark left, mpirun's ranks included.
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

# lives TAG: returns whether a process of the program itself still runs under this mark.
lives() {
  local pid
  for pid in $(marked "$1"); do
    [ "$(readlink "/proc/$pid/exe")" = "$TESSEREC" ] && return 0
  done
  return 1
}

# attempt RANKS [NAME=VALUE...] -- ARGS...: runs the program in the working folder, with variables under the shim.
# Leaves out and err in $logs, and sets $code to the exit code or "hang". Leaves no process.
attempt() {
  local ranks=$1 variables=() launch='' tag=$session.${mark:+$mark.}$BASHPID.$RANDOM$RANDOM. again done_
  # Jobs of mpirun that share a folder for their own files sometimes remove it under each other.
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
      exec 2>/dev/null # hides the shell's own message about signals
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
    # Open MPI 4.1's mpirun sometimes waits for ranks that have ended. This is no hang of the program: it runs once
    # more.
    lives "$tag" && again=last
    end_all "$tag"
    exec {done_}<&-
    [ "$again" = last ] && return
    [ -z "${reset:-}" ] || $reset
  done
}

. "$here/../app/lib_samples.sh"

# sums FOLDER: prints checksum, size and name of all files, except for those that differ from run to run.
sums() { (cd "$1" 2>/dev/null && find . -type f ! -name lock ! -name metrics.jsonl ! -name run.json ! -name result.json -exec cksum {} + | sort -k 3); }

# holds FOLDER SUMS: returns whether all files of the list exist as listed; other files may exist too.
holds() { [ -s "$2" ] && [ -z "$(comm -13 <(sums "$1" | sort) <(sort "$2"))" ]; }
# is FOLDER SUMS: returns whether these are all files, and no folder has other content.
is() { [ -s "$2" ] && cmp -s <(sums "$1") "$2" && [ -z "$(find "$1" -mindepth 1 -type d -empty)" ]; }

verified() { "$TESSEREC" verify "$1" >"$logs/verify" 2>&1; }

digests() { grep -oE '"(weights|state)_digest": "[0-9a-f]*"' "$logs/out" 2>/dev/null | tr '\n' ' '; }
metrics() { sed -E 's/, "(samples_per_second|time)": [^,}]*//g' "$1" 2>/dev/null; }
has_message() { grep -q '^tesserec: ' "$logs/err"; }
message() { grep -m 1 '^tesserec: ' "$logs/err" | cut -c 1-400; }

# in_turn FUNCTION ARGS...: starts the function as soon as fewer than $JOBS others run.
running=0
in_turn() {
  if [ "$running" -ge "$JOBS" ]; then
    wait -n
    running=$((running - 1))
  fi
  # Drops the parent's trap.
  (trap - EXIT INT TERM && "$@") &
  running=$((running + 1))
}
all_done() {
  wait
  running=0
}

# record WHAT RANKS KIND OUTCOME DETAIL...: writes one line at once.
record() {
  local line="$1 $2 $3 $4"
  shift 4
  echo "$line $*" >>"$results"
  case $line in *' ok' | *' reported') ;; *) [ -z "${VERBOSE:-}" ] || echo "$line: $*" ;; esac
}

# table: prints the records; returns 1 if an outcome is bad.
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
