#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A rank that is stopped while the others go on: after run.patience all end with exit code 2 and a message that names it, in
# training by MPI and by NCCL, in evaluation and in preprocess; the run goes on from its checkpoint.
. "$(dirname "${BASH_SOURCE[0]}")/../app/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../app/lib_samples.sh"
. "$(dirname "${BASH_SOURCE[0]}")/small_deck.sh" "$folder/deck.toml"
criteo_deck "$folder/criteo.toml"
awk -v n=4000 '{ line = $0 } NR == 1 { while (n--) for (i = 0; i < 200; ++i) print line }' "$folder/raw/train.txt" >"$folder/raw/long.txt"

# process_of JOB RANK: its id.
process_of() {
  local each
  for each in $(awk -v parent="$1" '{ pid = $1; sub(/.*\) /, ""); if ($2 == parent) print pid }' /proc/[0-9]*/stat 2>/dev/null); do
    ! tr '\0' '\n' 2>/dev/null <"/proc/$each/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$2" || echo "$each"
  done
}

# stop PROGRAM RANKS RANK "part of the log" ARGS...: stops a rank when the log says so, or, without, when it reads the raw file.
stop() {
  local program=$1 ranks=$2 stopped=$3 part=$4
  shift 4
  # shellcheck disable=SC2086
  $LAUNCH "$ranks" "$program" "$@" --set run.patience=2 --set "run.output=$folder/run" >"$folder/out" 2>"$folder/err" </dev/null &
  local job=$! pid=
  for _ in $(seq 3000); do  # often, because the raw file is read in a second
    [ -n "$pid" ] || pid=$(process_of "$job" "$stopped")
    if [ -n "$part" ]; then
      ! grep -q -- "$part" "$folder/err" || break
    else
      ! readlink "/proc/$pid/fd/"* 2>/dev/null | grep -q 'raw/long\.txt' || break
    fi
    sleep 0.01
  done
  [ -n "$pid" ] && kill -STOP "$pid"
  for _ in $(seq 300); do
    kill -0 "$job" 2>/dev/null || break
    sleep 0.1
  done
  kill -9 "$job" 2>/dev/null
  wait "$job" 2>/dev/null
  code=$?
  [ "$code" = 2 ] || complain "$* on $ranks ranks: exit code $code, not 2"
  [ "$(grep -c '^tesserec: ' "$folder/err")" = 1 ] || complain "$*: not one message"
  grep -qE "^tesserec: rank $stopped \(process $pid on .*; it was stopped by a signal such as SIGSTOP\): no answer for 2 s \(run.patience\)" "$folder/err" ||
    complain "$*: rank $stopped, process $pid, is not named"
}

# told: the run's folder says why its job ended, and report tells it.
told() {
  local message
  message=$(grep '^tesserec: ' "$folder/err" | sed 's/^tesserec: //')
  grep -qF "\"exit_reason\": \"failed\", \"message\": \"$message\"" "$folder/run/result.json" || complain "no reason in result.json"
  grep -q '"steps": [1-9]' "$folder/run/result.json" || complain "no steps in result.json"
  run "$TESSEREC" report "$folder/run" --json
  grep -qF "\"state\": \"failed\", \"detail\": \"$message\"" "$folder/out" || complain "the report does not tell why the job ended"
}

train=(train "$folder/deck.toml" --set train.epochs=1000000)
stop "$TESSEREC" 3 1 '^checkpoint .*step_00000014' "${train[@]}"
grep -q 'last seen at \(step\|the checkpoint of step\|evaluation batch\) [0-9]' "$folder/err" || complain "what the rank did is not said"
told
stop "$TESSEREC" 2 0 '^step ' "${train[@]}"
told
nccl=(--set run.kernels=portable --set run.communicator=nccl --set run.overwrite=true --set checkpoint.resume=never)
stop "$HOST_NCCL" 3 2 '^checkpoint ' "${train[@]}" "${nccl[@]}"
stop "$TESSEREC" 2 1 '^weights of ' evaluate "$folder/deck.toml" --set data.synthetic.evaluate_samples=100000000
stop "$TESSEREC" 2 1 '' preprocess "$folder/criteo.toml" --set "preprocess.train=[\"$folder/raw/long.txt\"]"
finish
