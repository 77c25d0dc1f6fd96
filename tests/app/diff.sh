#!/usr/bin/env bash
# diff names the first numbers in which checkpoints and runs differ, and says so in its exit code.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_samples.sh"
deck="$folder/deck.toml"
planted_deck "$deck"
train() {
  run "$TESSEREC" train "$deck" --set "run.output=$folder/$1" --set checkpoint.every_steps=10 --set checkpoint.keep=9 "${@:2}"
  [ "$code" = 0 ] || complain "training $1: exit code $code"
}
# must_differ "part of stdout" ARGS...: checks exit code 1 and the part.
must_differ() {
  run "$TESSEREC" diff "${@:2}"
  [ "$code" = 1 ] || complain "exit code $code, not 1: tesserec diff ${*:2}"
  grep -qE -- "$1" "$folder/out" || complain "stdout lacks \"$1\": tesserec diff ${*:2}"
}
train a
train same --set plan.default=row_wise
train short --set train.steps=7
train other --set optimizer.sparse.lr=0.07
step=$(find "$folder/a/checkpoints" -name 'step_*' | sort | head -n 1)
last=$(find "$folder/a/checkpoints" -name 'step_*' | sort | tail -n 1)
must_succeed ' datasets are equal' diff "$folder/a" "$folder/same"
must_succeed "deck: plan.default: " diff "$folder/a" "$folder/same"
must_succeed '"equal": true' diff "$folder/a" "$folder/same" --json
must_succeed ' datasets are equal' diff "$step" "$folder/same/checkpoints"
must_differ "^a: $step, step 10\$" "$folder/a" "$folder/other"
must_differ '^deck: optimizer.sparse.lr: .* and 0.07$' "$folder/a" "$folder/other"
must_differ '^metrics.jsonl: training, loss of step ' "$folder/a" "$folder/other"
must_differ '^tables/[A-Za-z0-9]+/weight: [0-9]+ of [0-9]+ numbers differ; first, row [0-9]+, column [0-9]+: ' "$folder/a" "$folder/other"
must_differ '^[0-9]+ of [0-9]+ datasets differ$' "$folder/a" "$folder/other"
must_differ '"different": [1-9]' "$folder/a" "$folder/other" --json
must_differ "^b: $last, step " "$step" "$last"
must_differ '^the steps differ: step [0-9]+ and step [0-9]+$' "$step" "$last"
must_differ "^the steps differ: $folder/a has no checkpoint of step 7\$" "$folder/short/checkpoints/step_000000007" "$folder/a"
must_differ "^the steps differ: $folder/a has no checkpoint of step 7\$" "$folder/a" "$folder/short/checkpoints/step_000000007"
must_differ '^the steps differ: no step has a checkpoint in both$' "$folder/short" "$folder/a"
# A run whose checkpoints lie elsewhere, from any folder.
train far --set "checkpoint.path=$folder/of_far/checkpoints"
[ ! -e "$folder/far/checkpoints" ] || complain 'checkpoints in the folder of the run'
must_succeed ' datasets are equal' diff "$folder/a" "$folder/far"
must_succeed '"step": ' export "$folder/far" --to "$folder/far_model" --json
must_succeed "of_far/checkpoints/step_" verify "$folder/far" --json
must_succeed '"equal": true' replay "$folder/far" --step 15 --to "$folder/rebuilt" --json
mkdir "$folder/damaged"
echo '{' >"$folder/damaged/run.json"
must_fail 'damaged/run.json: ' diff "$folder/a" "$folder/damaged"
must_fail 'tesserec diff has no option --set' diff "$folder/a" "$folder/a" --set a.b=1
! grep -q 'did you mean' "$folder/err" || complain "advice to give the option that there is not"
must_fail 'compares two paths, but got 1' diff "$folder/a"
must_fail "there is no such folder" diff "$folder/a" "$folder/none"
mkdir "$folder/empty"
must_fail 'has no whole checkpoint' diff "$folder/a" "$folder/empty"
truncate -s 5000 "$step/state.h5"
must_fail 'state.h5' diff "$folder/a" "$folder/same"
finish
