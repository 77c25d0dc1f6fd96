#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SIGUSR1 through the launcher, SIGTERM, SIGINT and their like to one process, and the end of Slurm's job when it is near, end a run
# with exit code 85 and a checkpoint; the same command goes on from it. A rank that is killed takes the others with it.
. "$(dirname "${BASH_SOURCE[0]}")/../app/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/small_deck.sh" "$folder/deck.toml"
run_folder="$folder/run"

# begin RANKS ARGS...: in the background as $job, until its first line of metrics or its end.
begin() {
  local launcher="$LAUNCH $1"
  [ "$1" -gt 1 ] || launcher=
  shift
  rm -f "$run_folder/metrics.jsonl"
  # shellcheck disable=SC2086
  $launcher "$TESSEREC" train "$folder/deck.toml" --json --set "run.output=$run_folder" --set train.epochs=1000000 \
    --set checkpoint.every_steps=0 "$@" >"$folder/out" 2>"$folder/err" </dev/null &
  job=$!
  for _ in $(seq 600); do
    [ -s "$run_folder/metrics.jsonl" ] && return
    kill -0 "$job" 2>/dev/null || return
    sleep 0.1
  done
  code=none
  complain "training does not begin"
}

# end SIGNAL PID...: sends it; a run that does not end in 30 s is a hang.
end() {
  local signal=$1
  shift
  kill "-$signal" "$@"
  for _ in $(seq 300); do
    kill -0 "$job" 2>/dev/null || break
    sleep 0.1
  done
  kill -9 "$job" 2>/dev/null
  wait "$job" 2>/dev/null
  code=$?
}

ends_with_checkpoint() {
  [ "$code" = 85 ] || complain "$1: exit code $code, not 85"
  step=$(sed -nE 's/.*"steps": ([0-9]+),.*/\1/p' "$folder/out")
  [ -f "$(printf '%s/checkpoints/step_%09d/manifest.json' "$run_folder" "${step:-0}")" ] || complain "$1: no checkpoint of step $step"
  grep -q "\"signal\": $2," "$folder/out" || complain "$1: --json does not name signal $2"
  grep -q 'the same command resumes from the checkpoint' "$folder/err" || complain "$1: nothing is said"
}

begin 2
end USR1 "$job"
ends_with_checkpoint "SIGUSR1 through the launcher" 10
begin 1
grep -q "^resumed from .*: step $step$" "$folder/err" || complain "not resumed at step $step"
end TERM "$job"
ends_with_checkpoint "SIGTERM" 15
begin 1
grep -q "^resumed from .*: step $step$" "$folder/err" || complain "not resumed at step $step"
end INT "$job"
ends_with_checkpoint "SIGINT" 2

for signal in HUP:1 USR2:12 XCPU:24 QUIT:3; do
  begin 1
  end "${signal%:*}" "$job"
  ends_with_checkpoint "SIG${signal%:*}" "${signal#*:}"
done
trap '' HUP # as nohup does
begin 1
trap - HUP
kill -HUP "$job"
sleep 1
end USR1 "$job"
ends_with_checkpoint "SIGUSR1 after a SIGHUP that is ignored" 10

# Nobody signals: ten seconds before the job's end nothing more is begun.
export SLURM_JOB_END_TIME=$(($(date +%s) + 16))
begin 2
end 0 "$job" 2>/dev/null
ends_with_checkpoint "the job's end" 10
grep -qE '^the job ends in [0-9]+ s \(SLURM_JOB_END_TIME\), so the run ends now; a checkpoint takes ' "$folder/err" || complain "the job's end: nothing is said"
export SLURM_JOB_END_TIME=  # as Slurm 22.05 has it
begin 1
grep -q "^resumed from .*: step $step$" "$folder/err" || complain "not resumed at step $step"
end TERM "$job"
ends_with_checkpoint "SIGTERM again" 15

# The checkpoint stands when a rank dies, and no rank is left behind.
begin 3
mapfile -t ranks < <(cat /proc/[0-9]*/stat 2>/dev/null |
  awk -v parent="$job" '{ pid = $1; sub(/.*\) /, ""); if ($2 == parent) print pid }')
[ "${#ranks[@]}" = 3 ] || complain "${#ranks[@]} ranks found, not 3"
end KILL "${ranks[1]}"
[ "$code" != 0 ] && [ "$code" != 85 ] || complain "a killed rank: exit code $code"
alive() {
  local state
  state=$(awk '{ sub(/.*\) /, ""); print $1 }' "/proc/$1/stat" 2>/dev/null)
  [ "${state:-Z}" != Z ]  # Z: dead, but nobody asked for its exit code
}
for pid in "${ranks[@]}"; do
  for _ in $(seq 100); do alive "$pid" || break; sleep 0.1; done
  alive "$pid" && complain "rank $pid is still there"
done
begin 1
grep -q "^resumed from .*: step $step$" "$folder/err" || complain "after a killed rank: not resumed at step $step"
end TERM "$job"
finish
