#!/usr/bin/env bash
# run.json and result.json of a run's folder on $RANKS ranks, and the page of tesserec report.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_samples.sh"
deck="$folder/a deck.toml"
planted_deck "$deck"
# has FILE PATTERN...: checks one JSON object that contains the patterns.
has() {
  local file=$1 pattern
  shift
  "$JSON_CHECK" <"$folder/run/$file" || complain "$file is not one JSON object"
  for pattern in "$@"; do grep -qF -- "$pattern" "$folder/run/$file" || complain "$file lacks $pattern"; done
}
must_fail 'no such folder; give the folder of a run' report "$folder/run"
must_succeed '"exit_reason": "finished"' train "$deck" --json --set train.steps=3 --set train.epochs=2
cmp -s "$folder/out" "$folder/run/result.json" || complain "result.json is not what --json printed"
has result.json '"steps": 3' '"best_auc": ' '"end_time": "20' '"bins": {"samples": [' '"peak_memory_bytes_of_ranks": ['
has run.json '"start_time": "20' '"from_step": 0' '"versions": "tesserec ' "\"ranks\": $RANKS" '"hosts": [{"name": "' \
  "\"argv\": [\"train\", \"$deck\", \"--json\", \"--set\", \"train.steps=3\"" '"overrides": ["train.steps=3", "train.epochs=2"]' \
  '[data.synthetic]\nkind = \"planted\"' '\nepochs = 2\n' '"critical_path_seconds": ' '"memory_bytes": {"weights": ['
# 81 rows of 4 columns and one sum per row, for any table and rank; the table of one row may be on all ranks.
bytes=$(grep -oE '"memory_bytes": \{"weights": \[[0-9, ]*\], "states": \[[0-9, ]*\]' "$folder/run/run.json" | grep -oE '[0-9]+' | awk '{ sum += $1 } END { print sum }')
copies=$(((bytes - 1600) / 20))
if [ $((1600 + 20 * copies)) != "$bytes" ] || [ $copies -lt 1 ]; then complain "tables take $bytes bytes"; fi
grep -cE '"time": 1[0-9]{9}\.' "$folder/run/metrics.jsonl" | grep -qx 2 || complain "lines without their time"

# A run that is started again and refused leaves the record of the last start and removes that of the older end.
must_fail 'was made with model.bottom' train "$deck" --set train.steps=5 --set model.embedding_dim=8 --set "model.bottom=[8, 8]"
has run.json '"from_step": 0'
has result.json '"steps": 3'
must_succeed '"steps": 5' train "$deck" --json --set train.steps=5
has run.json '"from_step": 3'
has result.json '"steps": 5'
cp "$folder/run/run.json" "$folder/run/result.json" "$folder"
must_succeed '"loss": null' train "$deck" --json --set train.steps=5  # no step is left: what stands there is of the one that ended
cmp "$folder/run.json" "$folder/run/run.json" && cmp "$folder/result.json" "$folder/run/result.json" || complain "a start without a step wrote over them"
sed -i 's/"exit_reason": "finished"/"exit_reason": "failed", "message": "id 99"/' "$folder/run/result.json"  # in its last evaluation
must_succeed '"loss": null' train "$deck" --json --set train.steps=5
has result.json '"exit_reason": "finished"'
cp "$folder/result.json" "$folder/run"

cp -a "$folder/run" "$folder/other"
must_fail 'the loss is not a number' train "$deck" --set train.steps=9 --set "run.output=$folder/other" --set optimizer.dense.lr=1e30 --set 'checkpoint.accept=["optimizer"]'
grep -q '"exit_reason": "diverged"' "$folder/other/result.json" || complain "a run that diverged has the result of an earlier one"

must_succeed '"exit_reason": "auc"' train "$deck" --json --set "run.output=$folder/reached" --set evaluate.every_steps=1 --set evaluate.stop_at_auc=0.001
grep -qF '"steps": 1,' "$folder/out" || complain "an AUC that is reached at once does not end the run at step 1"

# Importance of features: the same on any number of ranks; then on the page, with the state of the tables.
must_succeed '"importance": [' evaluate "$deck" --json --importance
has importance.json '"format": "tesserec importance"' '"intact": {"log_loss": ' '"kind": "number"'
cp "$folder/run/importance.json" "$folder"
RANKS=1 run "$TESSEREC" evaluate "$deck" --importance
[ "$code" = 0 ] || complain "evaluate --importance on one rank ends with $code"
cmp "$folder/importance.json" "$folder/run/importance.json" || complain "importance depends on the ranks"
grep -qE '^  [A-Za-z0-9]+ +[+-][0-9.]+ +[+-][0-9.]+ +[+-][0-9.]+$' "$folder/out" || complain "evaluate does not print what features are worth"
TESSEREC_LOG="$folder/err" must_succeed '"steps": 6' train "$deck" --json --set train.steps=6
has run.json "\"log\": \"$folder/err\""

run "$TESSEREC" report "$folder/run"
grep -q '>Importance of features, run<' "$folder/run/report.html" || complain "the page has no importance"
grep -q '>rows trained<' "$folder/run/report.html" || complain "the page has no tables"
[ "$code" = 0 ] || complain "exit code $code"
grep -q "/run/report.html: 1 run$" "$folder/err" || complain "nothing of the page"
[ "$(head -c 15 "$folder/run/report.html")" = "<!DOCTYPE html>" ] || complain "no page"
grep -q '>taken by the plan<' "$folder/run/report.html" || complain "the page does not say how full the ranks are"
must_succeed '"runs": 2' report "$folder/run" "$folder/run/" --json --output "$folder/two.html"
must_succeed '"runs": 1' report "$folder/run" --json --output "$folder/two.html"
must_fail 'metrics.jsonl exists and is no HTML page, so it is not replaced' report "$folder/run" --output "$folder/run/metrics.jsonl"
must_fail "--output: $deck: cannot create this folder: a file has its name" report "$folder/run" --output "$deck/page.html"
must_fail 'tesserec report needs a path: tesserec report RUN...' report
rm "$folder/run/result.json"
mkdir "$folder/run/result.json" "$folder/run/result.json/in"
must_fail 'result.json' train "$deck" --set train.steps=7
rm -r "$folder/run/result.json"
must_succeed '"steps": 7' train "$deck" --json --set train.steps=7
finish
