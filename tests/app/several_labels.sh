#!/usr/bin/env bash
# Two labels in one log, the second one unknown in some rows: from the raw rows to scores of both.
. "$(dirname "$0")/lib.sh"

deck=$folder/deck.toml
sed "s|@|$folder|" >"$deck" <<'DECK'
[run]
output = "@/run"
[preprocess]
format = "table"
header = true
train = ["@/day1.csv"]
evaluate = ["@/day2.csv"]
predict = ["@/day3.csv"]
output = "@/data"
column = [
  {name = "c1", kind = "category"},
  {name = "bought", kind = "label", positive = ["yes"], negative = ["no"], optional = true},
  {name = "price", kind = "number"},
  {name = "clicked", kind = "label", threshold = 1},
]
[data]
train = ["@/data/train.h5"]
evaluate = ["@/data/evaluate.h5"]
predict = ["@/data/predict.h5"]
missing_labels = true
[model]
tasks = ["clicked", "bought"]
task_weights = [1, 0.5]
embedding_dim = 4
bottom = [8, 4]
top = [8, 2]
[train]
batch_size = 32
lanes = 4
log_every = 5
metrics = ["log_loss"]
[evaluate]
metrics = ["auc", "log_loss", "calibration"]
[checkpoint]
keep_best = true
DECK
# Who did not click cannot buy: the label is missing there, but for some rows that are known all the same.
rows() {
  awk -v n="$1" -v first="$2" 'BEGIN { print "c1,bought,price,clicked"
    for (i = first; i < first + n; ++i) {
      click = i % 3 == 0
      print i * 7 % 11 "," (click ? (i % 2 ? "yes" : "no") : (i % 5 ? "" : "no")) "," i % 13 "," click } }'
}
rows 300 0 >"$folder/day1.csv"
rows 120 1000 >"$folder/day2.csv"
rows 40 2000 | cut -d, -f 1,3 >"$folder/day3.csv"
bought=$(cut -d, -f 2 "$folder/day1.csv" | grep -c yes) lacking=$(cut -d, -f 2 "$folder/day1.csv" | grep -c '^$')
refused=$(cut -d, -f 2 "$folder/day1.csv" | grep -c no)

must_succeed "\"labels\": {\"bought\": {\"negatives\": $refused, \"positives\": $bought}, \"clicked\": {\"negatives\": 200, \"positives\": 100}}" \
  preprocess "$deck" --json
grep -q "^train: 300 rows, bought .* % positive of $((300 - lacking)) ($lacking rows lack it), clicked 33.33 % positive" "$folder/err" ||
  complain "not both labels in the summary"
grep -q 'were judged by the label clicked, which every row has; run tesserec inspect .* to judge by bought, too' "$folder/err" ||
  complain "no note that one label was judged"
must_succeed '"labels": ' preprocess "$deck" --set "preprocess.output=$folder/two" --set "preprocess.train=[\"$folder/day1.csv\", \"$folder/day2.csv\"]" --set 'preprocess.evaluate=[]' --json
grep -qE '^  day1.csv +300 +33\.3' "$folder/err" || complain "the rate of a file is not that of the label that all rows have"
must_fail 'rows could lack all labels' preprocess "$deck" --set 'preprocess.column=[{name="c1", kind="category"}, {name="bought", kind="label", threshold=1, optional=true}]'
# A label of one value is named, also the only one.
sed 's/,1$/,0/' "$folder/day1.csv" >"$folder/unclicked.csv"
lone=(--set "preprocess.output=$folder/lone" --set "preprocess.train=[\"$folder/unclicked.csv\"]" --set 'preprocess.evaluate=[]'
  --set 'preprocess.predict=[]' --json)
must_succeed '"severity": "warning", "kind": "constant_label", "text": "the label clicked is 0 in all 300 rows of train that have it' \
  preprocess "$deck" "${lone[@]}" --set preprocess.column.bought.kind=skip --set 'preprocess.column.bought.positive=[]' \
  --set 'preprocess.column.bought.negative=[]' --set preprocess.column.bought.optional=false
must_succeed '"columns": ["clicked"]' preprocess "$deck" "${lone[@]}"

# A file from before an optional label was logged has no such column, and its rows lack the label.
cut -d, -f 1,3,4 "$folder/day2.csv" >"$folder/day0.csv"
must_succeed "\"labels\": {\"bought\": {\"negatives\": $refused, \"positives\": $bought}" preprocess "$deck" --json \
  --set "preprocess.output=$folder/older" --set "preprocess.train=[\"$folder/day1.csv\", \"$folder/day0.csv\"]"
grep -q "^train: 420 rows, bought .* % positive of $((300 - lacking)) ($((120 + lacking)) rows lack it), clicked" "$folder/err" ||
  complain "rows of a file without the column of an optional label are not counted as without it"
must_succeed '"missing_label"' preprocess "$deck" --json --set "preprocess.output=$folder/never" --set "preprocess.train=[\"$folder/day0.csv\"]"
grep -q 'warning no row of train has the label bought, so nothing can be learned' "$folder/err" || complain "no word of a label that no row has"
must_fail 'day0.csv:1: the header has 3 fields that do not fit preprocess.column: it lacks "bought"; add what lacks' preprocess "$deck" \
  --set "preprocess.train=[\"$folder/day0.csv\"]" --set preprocess.column.bought.optional=false
sed 's/, optional = true//' "$deck" >"$folder/strict.toml"
must_fail 'day1.csv:3: bought: "" is neither a positive nor a negative label' preprocess "$folder/strict.toml"

must_succeed "\"labels\": {\"bought\": {\"positives\": $bought, \"rows\": $((300 - lacking))}, \"clicked\": {\"positives\": 100, \"rows\": 300}}" \
  inspect "$folder/data/train.h5" --evaluate "$folder/data/evaluate.h5" --json

# The deck must name the labels, allow that they lack, and give the model two outputs.
must_fail 'train.h5 has the labels bought, clicked; set model.tasks' train "$deck" --set 'model.tasks=[]' --set 'model.task_weights=[]' --set 'model.top=[8, 1]' --set data.missing_labels=false
must_fail 'model.tasks names "sold", but' train "$deck" --set 'model.tasks=["clicked", "sold"]'
must_fail 'label bought is missing (NaN) in sample 1 of' train "$deck" --set data.missing_labels=false
must_fail 'model.top is 8-1: its last width must be 2, one output for each of model.tasks' train "$deck" --set 'model.top=[8, 1]'
must_fail 'model.task_weights has 1 number for 2 tasks' train "$deck" --set 'model.task_weights=[1]'
must_fail 'loss in_batch_softmax takes one label per sample' train "$deck" --set model.loss=in_batch_softmax
must_fail 'train.accumulate is 2' train "$deck" --set train.accumulate=2
must_fail 'evaluate.task is "sold", but model.tasks has clicked, bought' train "$deck" --set evaluate.task=sold
must_fail 'lack the label bought, the only one of model.tasks' train "$deck" --set 'model.tasks=["bought"]' --set 'model.task_weights=[]' --set 'model.top=[8, 1]' --set data.missing_labels=false

RANKS=1 must_succeed '"clicked.auc": ' train "$deck" --json
cp "$folder/out" "$folder/alone"
grep -o '"weights_digest": "[^"]*"' "$folder/alone" >"$folder/digest_alone"
must_succeed '"bought.calibration": ' train "$deck" --set checkpoint.resume=never --set run.overwrite=true --json
grep -o '"weights_digest": "[^"]*"' "$folder/out" | cmp -s - "$folder/digest_alone" || complain "other weights on $RANKS ranks"
grep -qE 'evaluation: auc 0\.[0-9]+ \(clicked 0\.[0-9]+, bought 0\.[0-9]+\), log_loss .*, bought: [0-9]+ clicks of [0-9]+ samples' "$folder/err" ||
  complain "no line with the metrics of both"
grep -q '"bought.window_log_loss":' "$folder/run/metrics.jsonl" && grep -q '"clicked.auc":' "$folder/run/metrics.jsonl" ||
  complain "metrics.jsonl lacks metrics of a label"
value() { grep -o "\"$1\": [0-9.]*" "$2" | tail -n 1 | cut -d' ' -f 2; }
[ "$(value clicked.lifetime_log_loss "$folder/run/metrics.jsonl")" != "$(value bought.lifetime_log_loss "$folder/run/metrics.jsonl")" ] ||
  complain "the labels have the same metrics of training samples"
grep -q 'train.h5: samples without a label, of 300: bought '"$lacking" "$folder/err" || complain "missing labels are not counted"

must_succeed '"bought.samples": ' evaluate "$deck" --json
cp "$folder/out" "$folder/both"
# The headline is the mean over the labels, or that of evaluate.task.
must_succeed '"auc": ' evaluate "$deck" --set evaluate.task=bought --json
[ "$(value auc "$folder/out")" = "$(value bought.auc "$folder/both")" ] || complain "evaluate.task is not the headline"
awk -v a="$(value auc "$folder/both")" -v b="$(value bought.auc "$folder/both")" -v c="$(value clicked.auc "$folder/both")" \
  'BEGIN { exit (a - (b + c) / 2) ^ 2 > 1e-20 }' || complain "the headline is not the mean"
must_fail 'evaluate --importance needs a model of one label' evaluate "$deck" --importance --set checkpoint.resume=nowhere

must_succeed '"samples": 40' predict "$deck" --format csv --json
[ "$(head -n 1 "$folder/run/scores.csv")" = score_clicked,score_bought ] || complain "header: $(head -n 1 "$folder/run/scores.csv")"
sed -n 2p "$folder/run/scores.csv" | grep -qE '^0\.[0-9]+,0\.[0-9]+$' || complain "not two scores a line"
RANKS=1 must_succeed '"samples": 40' predict "$deck" --scores "$folder/one.csv" --json
cmp "$folder/run/scores.csv" "$folder/one.csv" || complain 'other bytes on one rank'
must_succeed '"samples": 40' predict "$deck" --json
must_succeed 'whole' verify "$folder/run/scores.h5" --json
must_succeed '"tasks": ["clicked", "bought"]' verify "$folder"/run/checkpoints/step_* --json

# Its export is compared for each label, over the samples that have it.
RANKS=1 must_succeed '"clicked": {"samples": ' export "$folder/run" --to "$folder/model" --data "$folder/data/evaluate.h5" --json
cp "$folder/out" "$folder/exported"
for label in clicked bought; do
  grep -o "\"$label\": {\"samples\": [^}]*}" "$folder/exported" >"$folder/of_label"
  for metric in auc log_loss; do
    awk -v a="$(value $metric "$folder/of_label")" -v b="$(value $label.$metric "$folder/both")" \
      'BEGIN { exit !(a != "" && b != "" && (a - b) ^ 2 < 1e-10) }' || complain "export --data: other $metric of $label"
  done
done
RANKS=1 run "$TESSEREC" export "$folder/run" --to "$folder/other_model" --data "$folder/data/evaluate.h5"
grep -qE '^scores of [0-9]+ samples, label bought:' "$folder/err" || complain "no comparison of the second label"
RANKS=1 run "$TESSEREC" report "$folder/run"
grep -q 'clicked AUC' "$folder/run/report.html" && grep -q 'Calibration at the last evaluation: bought' "$folder/run/report.html" ||
  complain "the report lacks a label"

# One of the labels alone.
must_succeed '"auc": ' train "$deck" --set 'model.tasks=["clicked"]' --set 'model.task_weights=[]' --set 'model.top=[8, 1]' \
  --set data.missing_labels=false --set "run.output=$folder/one" --json
# Its export is compared on that label, which is the second of the file; the first one lacks in some rows.
cp "$folder/out" "$folder/one_result"
RANKS=1 must_succeed '"checkpoint": {"auc": ' export "$folder/one" --to "$folder/one_model" --data "$folder/data/evaluate.h5" --json
for metric in auc log_loss calibration; do
  awk -v a="$(value $metric "$folder/out")" -v b="$(value $metric "$folder/one_result")" \
    'BEGIN { exit !(a != "" && b != "" && (a - b) ^ 2 < 1e-10) }' ||
    complain "export --data has $metric $(value $metric "$folder/out"), not $(value $metric "$folder/one_result")"
done

# A log that had one label gets a second one: what was trained goes on, and its data are still scored.
lone=(--set 'model.tasks=[]' --set 'model.task_weights=[]' --set 'model.top=[8, 1]' --set data.missing_labels=false
  --set "data.train=[\"$folder/lone/train.h5\"]" --set "data.evaluate=[\"$folder/lone/evaluate.h5\"]")
must_succeed '"negatives": 200, "positives": 100' preprocess "$deck" --set "preprocess.output=$folder/lone" --json \
  --set 'preprocess.column=[{name="c1", kind="category"}, {name="bought", kind="skip"}, {name="price", kind="number"}, {name="clicked", kind="label", threshold=1}]'
must_succeed '"auc": ' train "$deck" "${lone[@]}" --set "run.output=$folder/lone_run" --json
one=(--set 'model.tasks=["clicked"]' --set 'model.task_weights=[]' --set 'model.top=[8, 1]' --set data.missing_labels=false)
must_succeed '"auc": ' train "$deck" "${one[@]}" --set "run.output=$folder/lone_next" --json \
  --set "checkpoint.start_from=$folder/lone_run" --set 'checkpoint.accept=["model.tasks"]'
must_succeed '"samples": 120' predict "$deck" --set "data.predict=[\"$folder/lone/evaluate.h5\"]" --json
grep -q 'lone/evaluate.h5 has one label without a name, but the model learns clicked, bought; its samples are scored as' "$folder/err" ||
  complain "no word of labels that are not taken"

# generate --print shows the labels of the deck.
RANKS=1 must_succeed 'targets' generate "$deck" "${one[@]}" --print 1

# Means over windows are those of each label, too.
must_succeed '"windows": ' train "$deck" --set data.window=file --set "run.output=$folder/windows" --json \
  --set "data.train=[\"$folder/data/train.h5\", \"$folder/data/evaluate.h5\"]"
tr -d '\n' <"$folder/out" | grep -qE '"windows": \{[^}]*"bought.auc": [0-9.]+' || complain "no mean over windows of a label"
finish
