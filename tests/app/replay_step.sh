#!/usr/bin/env bash
# replay --step rebuilds a step between two checkpoints of a run: the next checkpoint has the run's numbers, from a
# checkpoint and from the start, on other ranks and by another plan, and the run's folder stays as it is. A run whose
# checkpoint was made otherwise is told apart.
TESSEREC=${TESSEREC:-$(dirname "$0")/../../build/tesserec} LAUNCH=${LAUNCH:-mpirun --allow-run-as-root --oversubscribe -n}
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_samples.sh"
deck="$folder/deck.toml"
planted_deck "$deck"
train=(train "$deck" --json --set checkpoint.every_steps=5 --set checkpoint.keep=9 --set evaluate.every_steps=4
  --set train.epochs=2 --set train.steps=18 --set schedule.warmup_steps=9)
RANKS=1 must_succeed '"steps": 18' "${train[@]}"
before=$(cd "$folder/run" && find . -type f -exec cksum {} + | sort)
must_succeed '"equal": true' replay "$folder/run" --step 12 --to "$folder/twelve" --json
grep -q 'step 15: all numbers are those of .*/step_000000015' "$folder/err" || complain 'no word of the comparison'
! grep -q 'no evaluation data' "$folder/err" || complain 'a warning of evaluation data, which replay does not read'
[ -e "$folder/twelve/checkpoints/step_000000012/manifest.json" ] || complain 'no checkpoint of step 12'
must_succeed '"equal": true' replay "$folder/run" --step 10 --to "$folder/ten" --json
grep -qF 'from '"$folder/run/checkpoints/step_000000005" "$folder/err" || complain 'not from the checkpoint before'
must_succeed '"equal": true' replay "$folder/run" --step 3 --to "$folder/three" --json
grep -q '^step 3, from the start: ' "$folder/err" || complain 'not from the start'
[ "$(cd "$folder/run" && find . -type f -exec cksum {} + | sort)" = "$before" ] || complain "the run's folder has changed"
RANKS=1 must_succeed '"steps": 12' "${train[@]}" --set train.steps=12 --set "run.output=$folder/short"
RANKS=1 must_succeed ' datasets are equal' diff "$folder/twelve/checkpoints/step_000000012" "$folder/short/checkpoints/step_000000012"
must_fail 'the run ends at step 18, before step 19' replay "$folder/run" --step 19 --to "$folder/x"
[ ! -e "$folder/x" ] || complain 'a folder without the step'
must_fail 'exists; name another folder with --to' replay "$folder/run" --step 12 --to "$folder/twelve"
must_fail 'needs --to FOLDER' replay "$folder/run" --step 12
must_fail '--step must be an integer' replay "$folder/run" --step 0 --to "$folder/y"
must_fail 'there is no whole checkpoint' replay "$folder/twelve/none" --step 1 --to "$folder/y"

# A run that keeps its deltas.
must_succeed '"steps": 9' "${train[@]}" --set train.steps=9 --set "run.output=$folder/deltas" --set checkpoint.delta_seconds=600 --set checkpoint.keep_deltas=true
must_succeed '"equal": true' replay "$folder/deltas" --step 7 --to "$folder/of_deltas" --json

# A run that began from another one, which then goes on.
next=("${train[@]}" --set 'checkpoint.accept=["data"]' --set "checkpoint.resume=$folder/deltas" --set "run.output=$folder/next"
  --set data.synthetic.samples=900 --set train.steps=9)
must_succeed '"steps": 18' "${next[@]}"
rm -r "$folder/next/checkpoints/step_000000010"
must_succeed '"equal": true' replay "$folder/next" --step 12 --to "$folder/of_next" --json
grep -qF "step 12, from $folder/deltas/checkpoints/step_000000009 (checkpoint.resume): " "$folder/err" ||
  complain 'no word of the checkpoint from which the run resumed'
must_fail 'the run begins at step 9, so it has no step 7' replay "$folder/next" --step 7 --to "$folder/before_next"
[ ! -e "$folder/before_next" ] || complain 'a folder without the step'
must_succeed '"steps": 12' "${train[@]}" --set train.steps=12 --set "run.output=$folder/deltas"
must_fail 'no longer names; give --step one after step 15' replay "$folder/next" --step 12 --to "$folder/gone"

# A run that began with the weights of another one.
must_succeed '"steps": 9' "${train[@]}" --set train.steps=9 --set "run.output=$folder/warm" --set "checkpoint.start_from=$folder/run"
must_succeed '"equal": true' replay "$folder/warm" --step 3 --to "$folder/of_warm" --json
grep -qF "step 3, from step 0 with the weights of $folder/run/checkpoints/step_000000018 (checkpoint.start_from): " "$folder/err" ||
  complain 'no word of the weights with which the run began'

# A signal before the step.
RANKS=1
long=(--set train.steps=9000000 --set train.epochs=900000 --set checkpoint.every_steps=500 --set "run.output=$folder/long")
timeout -s TERM 2 "$TESSEREC" "${train[@]}" "${long[@]}" >"$folder/out" 2>"$folder/err"
timeout --preserve-status -s TERM 2 "$TESSEREC" replay "$folder/long" --step 8000000 --to "$folder/stopped" >"$folder/out" 2>"$folder/err"
code=$?
[ "$code" = 143 ] || complain "exit code $code after SIGTERM, not 143"
[ ! -e "$folder/stopped" ] || complain 'a folder of a command that was stopped'
! grep -q 'the run ends at step' "$folder/err" || complain 'a signal told as the end of the run'
RANKS=2

# Another history behind a checkpoint of the run.
RANKS=1 must_succeed '"steps": 18' "${train[@]}" --set "run.output=$folder/other" --set optimizer.sparse.lr=0.06
rm -r "$folder/run/checkpoints/step_000000015"
cp -r "$folder/other/checkpoints/step_000000015" "$folder/run/checkpoints"
run "$TESSEREC" replay "$folder/run" --step 12 --to "$folder/differs"
[ "$code" = 1 ] || complain "exit code $code, not 1"
grep -q 'step 15: other numbers than in ' "$folder/err" || complain 'no word of the difference'
finish
