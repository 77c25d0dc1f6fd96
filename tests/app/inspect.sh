#!/usr/bin/env bash
# inspect shows what data sets hold and passes the verdict on them; preprocess says the same of the raw files.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_samples.sh"
deck="$folder/deck.toml"
criteo_deck "$deck"
criteo_rows 900 >"$folder/raw/all.txt"
head -n 600 "$folder/raw/all.txt" >"$folder/raw/train.txt"
tail -n 300 "$folder/raw/all.txt" >"$folder/raw/test.txt"
must_succeed '"findings": []' preprocess "$deck" --json
grep -qx 'verdict: nothing odd was found' "$folder/err" || complain "no verdict by preprocess"
train="$folder/data/train.h5" evaluate="$folder/data/evaluate.h5"
clicks=$(cut -f 1 "$folder/raw/train.txt" | grep -c 1)
must_succeed "\"train\": {\"rows\": 600, \"positives\": $clicks, " inspect "$train" --evaluate "$evaluate" --json
grep -q '"evaluate": {"rows": 300, .*"findings": \[\]}' "$folder/out" || complain "no evaluation data, or findings"
grep -qx 'verdict: nothing odd was found' "$folder/err" || complain "no verdict by inspect"
missing=$(cut -f 2 "$folder/raw/train.txt" | grep -c '^$')
grep -qE "\"I1\": \{\"smallest\": 0, \"largest\": [0-9.]+, \"missing\": $missing\}" "$folder/out" || complain "not the range of I1"
must_succeed '"train": {"rows": 900' inspect "$train" "$evaluate" --strict --json
grep -q '^train: 900 rows, ' "$folder/err" || complain "not two files as one data set"

# The training rows as evaluation data: the same raw bytes and rows; a constant column; the label in a column.
awk -F'\t' -v OFS='\t' '{ $4 = 7; $20 = $1 ? "aa" NR % 5 : "bb" NR % 5; print }' "$folder/raw/train.txt" >"$folder/raw/odd.txt"
odd=("$deck" --set "preprocess.train=$folder/raw/odd.txt" --set "preprocess.evaluate=$folder/raw/odd.txt" --set "preprocess.output=$folder/odd")
must_fail 'the data have 4 findings, so nothing was written' preprocess "${odd[@]}" --set preprocess.strict=true
[ -z "$(ls -A "$folder/odd")" ] || complain "files of a strict run that failed"
must_succeed '"kind": "leaking_column"' preprocess "${odd[@]}" --json
cp "$folder/out" "$folder/by_preprocess"
must_succeed '"kind": "leaking_column"' inspect "$folder/odd/train.h5" --evaluate "$folder/odd/evaluate.h5" --json
for kind in repeated_file constant_column leaking_column overlap; do
  for out in by_preprocess out; do
    [ "$(grep -o "\"kind\": \"$kind\"" "$folder/$out" | wc -l)" = 1 ] || complain "not one $kind in $out"
  done
done
grep -q '^  error   column C6 tells the label by itself (AUC 1)' "$folder/err" || complain "no line of the column that leaks"
grep -q '^verdict: 3 errors, 1 warning, 0 notes$' "$folder/err" || complain "not four findings"
must_fail 'the data have 4 findings' inspect "$folder/odd/train.h5" --evaluate "$folder/odd/evaluate.h5" --strict

# Whatever the number of ranks.
RANKS=1 must_succeed '"findings": [' inspect "$folder/odd/train.h5" --evaluate "$folder/odd/evaluate.h5" --json
cp "$folder/out" "$folder/alone"
must_succeed '"findings": [' inspect "$folder/odd/train.h5" --evaluate "$folder/odd/evaluate.h5" --json
cmp -s "$folder/out" "$folder/alone" || complain "another result on $RANKS ranks"

# A set without labels has no share of positives.
run "$TESSEREC" preprocess "$deck" --set "preprocess.train=$folder/raw/train.txt" --set "preprocess.predict=$folder/raw/train.txt" \
  --set "preprocess.output=$folder/unlabelled"
must_succeed '"rows": ' inspect "$folder/unlabelled/predict.h5" --json
! grep -qi positive "$folder/out" "$folder/err" || complain "positives of a set without labels"

# Weights that are all 0: a finding with its column, and no training.
awk 'BEGIN { print "click,w,user"; for (i = 0; i < 60; ++i) print (i % 3 == 0) ",0,u" i % 7 }' >"$folder/raw/weights.csv"
cat >"$folder/weights.toml" <<END
preprocess = {format = "table", header = true, train = "$folder/raw/weights.csv", output = "$folder/weights", column = [
  {name = "click", kind = "label", positive = ["1"], negative = ["0"]}, {name = "w", kind = "weight"}, {name = "user", kind = "category"}]}
data.train = "$folder/weights/train.h5"
run.output = "$folder/run"
END
must_succeed '"severity": "error", "kind": "zero_weights", "text": "train: the weight w is 0 in all 60 rows' \
  preprocess "$folder/weights.toml" --json
must_succeed '"severity": "error", "kind": "zero_weights", "text": "train: the weight /weights is 0 in all 60 rows' \
  inspect "$folder/weights/train.h5" --json
must_fail "data.train: $folder/weights/train.h5: all 60 samples have weight 0" train "$folder/weights.toml"

# Files that cannot be inspected.
must_fail "there is no such file" inspect "$folder/none.h5"
must_fail 'this is not an HDF5 file' inspect "$deck"
head -c -1000 "$train" >"$folder/cut.h5"
must_fail 'so it is truncated or was replaced' inspect "$folder/cut.h5"
finish
