#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A signal before the first step, in an evaluation, in preprocess and predict: the program ends within seconds and leaves
# nothing half. Exit code 128 + N where no checkpoint holds what was done, 85 where one does.
. "$(dirname "${BASH_SOURCE[0]}")/../app/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/small_deck.sh" "$folder/deck.toml"

# begin RANKS ARGS...: in the background as $job.
begin() {
  local launcher="$LAUNCH $1"
  [ "$1" -gt 1 ] || launcher=
  shift
  # shellcheck disable=SC2086
  $launcher "$TESSEREC" "$@" >"$folder/out" 2>"$folder/err" </dev/null &
  job=$!
}

# await "part of the log": until it is there.
await() {
  for _ in $(seq 600); do
    grep -q -- "$1" "$folder/err" && return
    kill -0 "$job" 2>/dev/null || break
    sleep 0.1
  done
  code=none
  complain "the log never says $1"
}

# ends CODE WHAT: the job has 20 s.
ends() {
  for _ in $(seq 200); do
    kill -0 "$job" 2>/dev/null || break
    sleep 0.1
  done
  kill -9 "$job" 2>/dev/null
  wait "$job" 2>/dev/null
  code=$?
  [ "$code" = "$1" ] || complain "$2: exit code $code, not $1"
  [ -z "$(find "$folder" -name '*.tmp*')" ] || complain "$2: left $(find "$folder" -name '*.tmp*')"
}
says() {
  [ "$(grep -c "^tesserec: ended by signal $1 .* before the work was done" "$folder/err")" = 1 ] || complain "$2: not one message"
}

# Model and plan of 200000 tables take longer than this.
awk '/^rows/ { printf "rows = [1"; for (i = 1; i < 200000; ++i) printf ",1"; print "]"; next } { print }' \
  "$folder/deck.toml" >"$folder/many.toml"
for ranks in 1 2; do
  begin $ranks train "$folder/many.toml" --set "run.output=$folder/many"
  sleep 2
  kill -USR1 "$job"
  ends 138 "a model that is built on $ranks ranks"
  says 10 "a model that is built on $ranks ranks"
done

# A file system that does not answer, in the second reading of preprocess: nobody reads this pipe.
. "$(dirname "${BASH_SOURCE[0]}")/../app/lib_samples.sh"
criteo_deck "$folder/raw.toml"
for _ in $(seq 10); do cat "$folder/raw/train.txt"; done >"$folder/many.txt"
pipes() { # SIGNAL NUMBER
  rm -rf "$folder/data"
  mkdir "$folder/data"
  mkfifo "$folder/data/train.h5.tmp"
  begin 1 preprocess "$folder/raw.toml" --set "preprocess.train=[\"$folder/many.txt\"]"
  for _ in $(seq 100); do
    [ -s "$folder/data/evaluate.h5.tmp" ] && break
    sleep 0.1
  done
  sleep 0.5
  kill -"$1" "$job"
  ends $((128 + $2)) "preprocess that gets SIG$1"
  says "$2" "preprocess that gets SIG$1"
  [ -z "$(ls "$folder/data")" ] || complain "preprocess that gets SIG$1 leaves $(ls "$folder/data")"
}
pipes TERM 15
pipes USR1 10
pipes HUP 1

# The last evaluation comes after the last checkpoint.
long=(--set data.synthetic.evaluate_samples=100000000 --set run.part_bytes=1000000 --set "run.output=$folder/run")
for ranks in 1 2; do
  rm -rf "$folder/run"
  begin $ranks train "$folder/deck.toml" "${long[@]}" --set train.steps=1
  await '^checkpoint .*step_000000001'
  sleep 1
  kill -USR1 "$job"
  ends 85 "the last evaluation on $ranks ranks"
  grep -q '"signal": 10,' "$folder/run/result.json" || complain "the record does not name the signal"
  for command in evaluate predict; do
    begin $ranks $command "$folder/deck.toml" "${long[@]}"
    await '^weights of '
    sleep 1
    kill -USR1 "$job"
    ends 138 "$command on $ranks ranks"
    says 10 "$command on $ranks ranks"
    [ ! -e "$folder/run/scores.h5" ] || complain "$command: half of the scores"
  done
done
finish
