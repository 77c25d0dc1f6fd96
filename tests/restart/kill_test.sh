#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# kill -9 at random moments, of one rank or of all; each time the run goes on with another number of ranks and another
# plan. At the end the digests and all metrics are those of a run that nobody disturbed.
#   tests/restart/kill_test.sh [KILLS [SEED [DELTA_SECONDS [DECK]]]]
# Checkpoints are frequent, so that some kills meet a half-written one; with DELTA_SECONDS they are rare and deltas are
# frequent. Where a run ends before the last kill, the next one begins anew. DECK: small_deck; tiers_deck, with rows on
# disk, in 16 bits and in growing tables; or windows_deck, whose run goes in the order of time and must have the metrics
# of each window of an undisturbed run.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TESSEREC=${TESSEREC:-$here/../../build/tesserec}
LAUNCH=${LAUNCH:-mpirun --allow-run-as-root --oversubscribe -n}
kills=${1:-6}
seed=${2:-1}
deltas=${3:-0}
steps=$((kills * 40))
RANDOM=$seed
. "$here/../mpi.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
length=(--set train.epochs=1000 --set "train.steps=$steps")
turn=0
ranks_of=(1 3 2 4)
plans=(table_wise row_wise data_parallel auto)
part_bytes=3000

rare=()
[ "$deltas" = 0 ] || rare=(--set "checkpoint.delta_seconds=$deltas" --set checkpoint.every_steps=100)

die() {
  echo "FAILED: $*"
  cat "$folder/err"
  exit 1
}

. "$here/${4:-small_deck}.sh" "$folder/deck.toml"

# launch RANKS PLAN: in the background, as $job.
launch() {
  local launcher="$LAUNCH $1"
  [ "$1" -gt 1 ] || launcher=
  # shellcheck disable=SC2086
  $launcher "$TESSEREC" train "$folder/deck.toml" --json --set "run.output=$folder/run" --set "plan.default=$2" \
    "${length[@]}" --set "run.part_bytes=$((turn % 2 * part_bytes))" "${rare[@]}" \
    >"$folder/out" 2>"$folder/err" </dev/null &
  job=$!
}

# The ranks of $job: mpirun's children, or $job itself. With their states; Z: dead, but nobody asked for its exit code.
rank_states() {
  cat /proc/[0-9]*/stat 2>/dev/null | awk -v job="$job" -v ranks="$1" \
    '{ pid = $1; sub(/.*\) /, ""); if ((ranks > 1 ? $2 : pid) == job) print pid, $1 }'
}
rank_pids() { rank_states "$1" | cut -d ' ' -f 1; }
living_ranks() { rank_states "$ranks" | grep -v ' Z'; }

digests() { grep -oE '"(weights|state)_digest": "[0-9a-f]*"' "$folder/out" | tr '\n' ' '; }
# Lines without clocks and without counts of caches and growing tables, which begin anew with each start.
metrics() { sed -E 's/, "(samples_per_second|time|cache_hit_rate|disk_bytes_[a-z]*|growing_[A-Za-z0-9_]*)": [^,}]*//g' "$folder/run/metrics.jsonl"; }
resumed_step() { sed -nE 's/^resumed from .*: step ([0-9]+)$/\1/p' "$folder/err"; }

# pause MILLISECONDS
pause() { sleep "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))"; }

await_training() {
  for _ in $(seq 3000); do
    kill -0 "$job" 2>/dev/null && ! grep -q '^step ' "$folder/err" || return
    sleep 0.02
  done
  kill -9 "$job"
  die "training does not begin"
}

# await: the exit code of $job; one that does not end in two minutes and twice the undisturbed time is a hang.
await() {
  local alone=0
  for _ in $(seq $((1200 + milliseconds / 50))); do
    kill -0 "$job" 2>/dev/null || break
    # Open MPI 4.1's mpirun now and then waits forever for a rank that was killed while it started: all ranks are gone.
    [ "$ranks" -gt 1 ] && [ -z "$(living_ranks)" ] && alone=$((alone + 1)) || alone=0
    [ "$alone" -lt 100 ] || { echo "mpirun does not end after its ranks"; kill -9 "$job"; break; }
    sleep 0.1
  done
  if kill -0 "$job" 2>/dev/null && [ "$alone" -lt 100 ]; then
    ps -eo pid,ppid,stat,wchan:20,etime,args | grep -E 'PPID|tesserec|mpirun|orted'
    kill -9 "$job" $(rank_pids "$ranks")
    die "a hang: $ranks ranks, $plan, rank $victim killed"
  fi
  wait "$job" 2>/dev/null
  code=$?
}

# What a kill left of a checkpoint or a delta: names and inodes.
half_written() {
  find "$folder/run/checkpoints" -mindepth 1 -maxdepth 1 -name '*.*' ! -name '*.delta' -printf '%f %i ' 2>/dev/null | sed 's/ $//'
}

launch 1 table_wise
await_training
begin=$(date +%s%N)
wait "$job" || die "the undisturbed run: exit code $?"
whole=$(digests)
milliseconds=$((($(date +%s%N) - begin) / 1000000))
echo "undisturbed, $milliseconds ms: $whole"
[ -n "$whole" ] || die "no digests"
whole_metrics=$(metrics)

rm -rf "$folder/run"
done_kills=0 turn=0 runs=0 reached=0 torn=0 used=0 again=no
while true; do
  ranks=${ranks_of[$((turn % 4))]}
  plan=${plans[$(((turn + turn / 4) % 4))]}
  turn=$((turn + 1))
  launch "$ranks" "$plan"
  victim=none
  if [ "$done_kills" -lt "$kills" ]; then
    before=$(half_written)
    # One in four may fall before training begins.
    [ $((RANDOM % 4)) = 0 ] || await_training
    pause $((RANDOM % (2 * milliseconds / kills)))
    mapfile -t pids < <(rank_pids "$ranks")
    victim=all
    if [ "${#pids[@]}" -gt 1 ] && [ $((RANDOM % 2)) = 0 ]; then
      victim=$((RANDOM % ${#pids[@]}))
      pids=("${pids[$victim]}")
    fi
    [ "${#pids[@]}" -gt 0 ] && kill -9 "${pids[@]}" 2>/dev/null
  fi
  await
  step=$(resumed_step)
  step=${step:-$reached}  # killed before it was there
  [ "$step" -ge "$reached" ] || die "resumed at step $step, but a checkpoint of step $reached was whole"
  reached=$step
  grep -qE '^resumed from .* and [0-9]+ deltas?: step' "$folder/err" && used=$((used + 1))
  if [ "$code" = 0 ]; then
    runs=$((runs + 1))
    echo "$ranks ranks, $plan, from step $reached: finished: $(digests)"
    [ "$(digests)" = "$whole" ] || die "other digests than undisturbed: $whole"
    [ "$(metrics)" = "$whole_metrics" ] || die "other metrics than undisturbed: $(diff <(echo "$whole_metrics") <(metrics))"
    [ "$done_kills" -lt "$kills" ] || [ "$again" = yes ] || { again=yes; continue; }  # a finished run, once more
    [ "$done_kills" -lt "$kills" ] || break
    rm -rf "$folder/run"
    reached=0
    continue
  fi
  [ "$code" != 2 ] || die "$ranks ranks, $plan: it ended with an error, not by a kill"
  done_kills=$((done_kills + 1))
  left=$(half_written) state=
  if [ -n "$left" ] && [ "$left" != "$before" ]; then
    state=", in a checkpoint: ${left% *}"
    torn=$((torn + 1))
  fi
  echo "kill $done_kills: $ranks ranks, $plan, from step $reached: rank $victim killed, exit code $code$state"
done
[ "$deltas" = 0 ] || [ "$used" -gt 0 ] || die "no run resumed from a delta"
[ -z "$(find "$folder/run/checkpoints" -name '*.delta')" ] || die "a finished run has deltas"
echo "$used runs resumed from deltas"
echo "$done_kills kills, $torn of them in a checkpoint, $runs finished runs: the digests of the undisturbed run"
