#!/usr/bin/env bash
# Rows without labels: preprocessed with the vocabulary of a dataset whose raw files were deleted, and scored with their
# keys to CSV. One rank and $RANKS ranks write the same bytes.
. "$(dirname "$0")/lib.sh"

deck=$folder/deck.toml
sed "s|@|$folder|" >"$deck" <<'DECK'
[run]
output = "@/run"
[preprocess]
format = "table"
header = true
skip_other_columns = true
train = ["@/day1.csv"]
output = "@/data"
column = [
  {name = "id", kind = "key"},
  {name = "c*", kind = "category"},
  {name = "price", kind = "number", transform = "standardise"},
  {name = "y", kind = "label", positive = ["1"], negative = ["0"]},
]
[data]
train = ["@/data/train.h5"]
predict = ["@/new/predict.h5"]
[model]
embedding_dim = 4
bottom = [8, 4]
top = [8, 1]
[train]
batch_size = 32
lanes = 4
DECK
awk 'BEGIN { print "y,c2,c10,price,id,note"
  for (i = 0; i < 300; ++i) print (i % 3 == 0) "," i * 7 % 11 "," i % 5 "," i % 13 ",r" i ",x" }' >"$folder/day1.csv"
# Columns in another order, no label; a key that needs quotes, and a bad row.
awk 'BEGIN { OFS = ";"; print "id", "price", "c10", "c2"
  for (i = 0; i < 100; ++i) print (i == 3 ? "k,\"3" : "k" i), (i == 50 ? "much" : i % 13), i % 6, i % 11 }' >"$folder/new.csv"

RANKS=1 must_succeed '"rows": 300' preprocess "$deck" --json
must_succeed '"steps"' train "$deck" --json
rm "$folder/day1.csv"
new=(--set preprocess.train=[] --set "preprocess.predict=$folder/new.csv" --set "preprocess.vocabulary=$folder/data/train.h5"
  --set "preprocess.output=$folder/new" --set "preprocess.delimiter=;")
must_fail "new.csv:52: price: \"much\" is not a number; if the text stands for a missing value, add it to preprocess.missing" preprocess "$deck" "${new[@]}"
must_succeed '"ids": [12, 6]' preprocess "$deck" "${new[@]}" --set preprocess.bad_rows=skip --json
grep -q 'new.csv:52: price: "much" is not a number' "$folder/err" || complain 'the log lacks the row that was left out'

must_succeed '"left_out": 1' predict "$deck" --format csv --json
grep -q 'no score for 1 bad row' "$folder/err" && grep -q '  .*new.csv:52: price' "$folder/err" ||
  complain 'the log lacks the row that has no score'
RANKS=1 must_succeed '"samples": 99' predict "$deck" --scores "$folder/one.csv" --json
cmp "$folder/run/scores.csv" "$folder/one.csv" || complain 'other bytes on one rank'
[ "$(wc -l <"$folder/one.csv")" = 100 ] || complain 'not a line a row'
[ "$(head -n 1 "$folder/one.csv")" = id,score ] && sed -n 5p "$folder/one.csv" | grep -qE '^"k,""3",0\.[0-9]+$' ||
  complain "lines: $(sed -n '1p;5p' "$folder/one.csv")"
must_succeed '"samples": 99' predict "$deck" --json
must_succeed 'whole' verify "$folder/run/scores.h5" --json

must_fail 'predict.h5 has no labels' train "$deck" --set "data.train=$folder/new/predict.h5"
must_fail 'predict.h5 has no labels' evaluate "$deck" --set "data.evaluate=$folder/new/predict.h5"
must_fail '--format csv does not fit --scores' predict "$deck" --format csv --scores "$folder/s.h5"
must_fail "--scores: $deck: cannot create this folder: a file has its name" predict "$deck" --scores "$deck/s.h5"
must_fail 'names no format' predict "$deck" --scores "$folder/s.parquet"
[ ! -e "$folder/s.h5" ] || complain 'a file was written'

# Only files of scores are replaced.
state=$(echo "$folder"/run/checkpoints/step_*)
echo 'user,score' >"$folder/other.csv"
mkdir "$folder/taken.csv"
before=$(sha256sum "$folder/new/predict.h5" "$state/state.h5" "$folder/run/metrics.jsonl" "$folder/other.csv")
must_fail 'new/predict.h5 exists and is no HDF5 file of scores' predict "$deck" --scores "$folder/new/predict.h5"
must_fail 'new/predict.h5 exists and is no HDF5 file of scores' predict "$deck" --scores "$folder/new/../new/predict.h5"
must_fail 'is a checkpoint or model folder' predict "$deck" --scores "$state/state.h5"
must_fail 'is a checkpoint or model folder' predict "$deck" --scores "$state/scores.csv"
must_fail 'metrics.jsonl exists and is no CSV file of these scores, whose head is id,score' predict "$deck" --scores "$folder/run/metrics.jsonl" --format csv
must_fail 'other.csv exists and is no CSV file of these scores, whose head is id,score' predict "$deck" --scores "$folder/other.csv"
must_fail 'taken.csv exists and is no CSV file of these scores, whose head is id,score' predict "$deck" --scores "$folder/taken.csv"
[ "$before" = "$(sha256sum "$folder/new/predict.h5" "$state/state.h5" "$folder/run/metrics.jsonl" "$folder/other.csv")" ] ||
  complain 'a file without scores was replaced'
[ ! -e "$state/scores.csv" ] || complain 'scores in a checkpoint'
must_succeed '"samples": 99' predict "$deck" --scores "$folder/one.csv" --json

# A score that is no number is an error that names its row, and no file is written.
printf '%s\n' 'id;price;c10;c2' 'n0;1;1;1' 'n1;3e38;1;1' >"$folder/far.csv"
crossed=(--set model.type=dlrm_dcn --set model.cross_layers=2 --set model.cross_rank=2 --set "run.output=$folder/crossed")
must_succeed '"steps"' train "$deck" "${crossed[@]}" --json
must_succeed '"rows": 2' preprocess "$deck" "${new[@]}" --set "preprocess.predict=$folder/far.csv" --set "preprocess.output=$folder/far" --json
for format in csv h5; do
  must_fail 'far/predict.h5: the score of sample 1, counted from 0, is not finite' predict "$deck" "${crossed[@]}" \
    --set "data.predict=$folder/far/predict.h5" --scores "$folder/far_scores.$format"
done
[ ! -e "$folder/far_scores.h5" ] && [ ! -e "$folder/far_scores.csv" ] || complain 'scores that are no numbers were written'

# A model that learned more values says so of rows that were encoded before.
awk 'BEGIN { print "y,c2,c10,price,id"
  for (i = 0; i < 300; ++i) print (i % 3 == 0) "," i * 7 % 11 "," i % 9 "," i % 13 ",s" i }' >"$folder/day2.csv"
must_succeed '"rows": 300' preprocess "$deck" --set "preprocess.train=$folder/day2.csv" --set "preprocess.output=$folder/data2" \
  --set "preprocess.vocabulary=$folder/data/train.h5" --set preprocess.extend=true --json
later=(--set "data.train=$folder/data2/train.h5" --set "run.output=$folder/run2")
must_succeed '"steps"' train "$deck" "${later[@]}" --set "checkpoint.start_from=$folder/run" --json
must_succeed '"samples": 99' predict "$deck" "${later[@]}" --json
grep -q 'new/predict.h5.* was encoded before the vocabulary of ' "$folder/err" || complain 'nothing is said of the older vocabulary'
must_succeed '"samples": 99' predict "$deck" --json
! grep -q 'was encoded before' "$folder/err" || complain 'a warning for the vocabulary of the model'
# An earlier model has no rows for the values that came later.
must_fail '; preprocess its raw files again with preprocess.vocabulary = the data set of that run, without preprocess.extend' \
  predict "$deck" --set "data.predict=$folder/data2/train.h5"
finish
