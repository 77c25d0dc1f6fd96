#!/usr/bin/env bash
# Bad raw rows and bad HDF5 files on $RANKS ranks: exit code 2, one message that names file, line or sample; an old
# dataset stays.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_samples.sh"
deck="$folder/deck.toml"
criteo_deck "$deck"
must_fail "data.train: $folder/data/train.h5: there is no such file; \`tesserec preprocess $deck\` writes it" train "$deck"
must_succeed '"rows": 200' preprocess "$deck" --json
grep -q '^train: 200 rows, ' "$folder/err" || complain "no summary"
before=$(cksum <"$folder/data/train.h5")
must_succeed '"rows": 200' preprocess "$deck" --json --set preprocess.memory=64
grep -q "preprocess.memory = 64 (bytes) is less than 512 KiB for each of $RANKS ranks" "$folder/err" ||
  complain "no warning of a memory of 64 bytes"

# spoil AWK: changes line 57. bad "message" ARGS...: checks that preprocess of the changed file fails with the message.
spoil() { awk -F'\t' -v OFS='\t' "NR == 57 { $1 } { print }" "$folder/raw/train.txt" >"$folder/raw/bad.txt"; }
bad_file=raw/bad.txt
bad() {
  local part=$1
  shift
  must_fail "$part" preprocess "$deck" --set "preprocess.train=$folder/$bad_file" "$@"
  [ "$(cksum <"$folder/data/train.h5")" = "$before" ] || complain "the old data set is gone: $part"
}
spoil 'NF = 39';       bad 'raw/bad.txt:57: 39 fields, 40 expected'
spoil '$41 = "x"';     bad 'raw/bad.txt:57: 41 fields, 40 expected'
some=$RANKS RANKS=1
spoil '$16 = "xyz"';   bad 'raw/bad.txt:57: C2: "xyz" is not 1 to 8 hexadecimal digits'
spoil '$1 = "2"';      bad 'raw/bad.txt:57: label "2" is neither 0 nor 1'
spoil '$5 = "99999999999999999999"'; bad 'raw/bad.txt:57: I4: "99999999999999999999" is out of the range'
{ printf 'label\tI1\n'; cat "$folder/raw/train.txt"; } >"$folder/raw/bad.txt"; bad 'raw/bad.txt:1: '
: >"$folder/raw/bad.txt"; bad 'raw/bad.txt: the file is empty'
RANKS=$some
bad_file=raw/bad.gz
gzip -c "$folder/raw/train.txt" | head -c -500 >"$folder/raw/bad.gz"; bad 'raw/bad.gz: the gzip file ends too early'
bad_file=raw/none.txt; bad "--set 1: preprocess.train: $folder/raw/none.txt: there is no such file"
must_fail "--set 1: preprocess.output: $deck: cannot create this folder: a file has its name" preprocess "$deck" --set "preprocess.output=$deck/x"

# Accepted: the same rows in other forms of the file.
same() {
  must_succeed '"rows": 200' preprocess "$deck" --json --set "preprocess.train=$folder/raw/bad.txt" --set "preprocess.output=$folder/other" "$@"
}
sed 's/$/\r/' "$folder/raw/train.txt" >"$folder/raw/bad.txt"; same
head -c -1 "$folder/raw/train.txt" >"$folder/raw/bad.txt"; same
spoil '$40 = ""; NF = 39'; same --set preprocess.short_rows=pad
spoil '$5 = "abc"'
must_succeed '"bad_rows": 1,' preprocess "$deck" --json --set "preprocess.train=$folder/raw/bad.txt" \
  --set "preprocess.output=$folder/other" --set preprocess.bad_rows=skip
grep -q 'raw/bad.txt:57: I4: "abc" is not an integer' "$folder/err" || complain "the row left out is not reported"

# Bad HDF5 files.
train_on() { must_fail "$1" train "$deck" --set "data.train=$folder/x.h5"; }
echo hello >"$folder/x.h5"; train_on 'x.h5: this is not an HDF5 file'
: >"$folder/x.h5"; train_on 'x.h5: the file is empty'
head -c -1000 "$folder/data/train.h5" >"$folder/x.h5"; train_on 'so it is truncated or was replaced'
{ head -c 5000 "$folder/data/train.h5"; printf 'x'; tail -c +5002 "$folder/data/train.h5"; } >"$folder/x.h5"; train_on 'x.h5 is damaged: its checksum is'
rm "$folder/x.h5"; train_on "--set 1: data.train: $folder/x.h5: there is no such file"
printf '[[table]]\nname = "C1"\nrows = 3\n' | cat "$deck" - >"$folder/table.toml"
must_fail 'of feature C1 in sample' train "$folder/table.toml"
must_fail 'is outside its table of 3 rows' train "$folder/table.toml"
must_succeed '"steps": 4' train "$folder/table.toml" --json --set table.C1.rows=30 --set "run.output=$folder/one_table"

# Refused: one file under two names, or to train on and to evaluate. Accepted: names with the characters of patterns.
ln -s train.h5 "$folder/data/link.h5"
for other in ./data/train.h5 data/link.h5; do
  must_fail 'names one file twice, as' train "$deck" --set "data.train=[\"$folder/data/train.h5\", \"$folder/$other\"]"
done
must_fail 'preprocess.train names one file twice' preprocess "$deck" --set "preprocess.train=[\"$folder/raw/train.txt\", \"$folder/./raw/train.txt\"]"
must_succeed '"steps": 4' train "$deck" --json --set "data.evaluate=$folder/data/link.h5" --set "run.output=$folder/both"
[ "$(grep -c 'warning: data.evaluate and data.train both name' "$folder/err")" = 1 ] || complain "no warning of data that were trained on"
must_succeed '"rows": 200' preprocess "$deck" --json --set "preprocess.output=$folder/day[1]*"
must_succeed '"steps": 4' train "$deck" --json --set "data.train=$folder/day[1]*/train.h5" --set "data.evaluate=$folder/day[1]*/ev*.h5" \
  --set "run.output=$folder/in_day"

# Values that training never saw, and the report on each column.
awk -F'\t' -v OFS='\t' '{ $16 = "a" NR % 7; print }' "$folder/raw/test.txt" >"$folder/raw/odd.txt"
odd=(preprocess "$deck" --set "preprocess.evaluate=$folder/raw/odd.txt" --set "preprocess.output=$folder/odd")
must_fail 'raw/odd.txt: column C2: 100 of 100 values (100 %) have no id' "${odd[@]}"
[ ! -e "$folder/odd/train.h5" ] || complain "a data set in spite of unknown values"
must_succeed '"C2": {"missing": 0, "missing_share": 0, "unknown": 100, "unknown_share": 1,' "${odd[@]}" --set preprocess.max_unknown=1.0 --json
grep -q '^  C2 .* 100 %' "$folder/err" || complain "no line of the column"

# A dataset in parts: any rank that reads a damaged part reports it before the first step.
must_succeed '"rows": 200' preprocess "$deck" --json --set "preprocess.output=$folder/parts" --set run.part_bytes=4000
train_on_parts() { must_fail "$1" train "$deck" --set "data.train=$folder/parts/train.h5" --set "run.output=$folder/in_parts"; }
for number in 00001 00004; do
  part=$(echo "$folder"/parts/train.*/$number.h5)
  cp "$part" "$folder/whole.h5"
  printf 'x' | dd of="$part" bs=1 seek=2000 conv=notrunc status=none
  train_on_parts "$number.h5 is damaged: its checksum is"
  cp "$(dirname "$part")/00002.h5" "$part"
  train_on_parts "$number.h5 is damaged: its seal is"
  rm "$part"
  train_on_parts "$number.h5: cannot open it"
  cp "$folder/whole.h5" "$part"
done
must_succeed '"steps": 4' train "$deck" --json --set "data.train=$folder/parts/train.h5" --set "run.output=$folder/in_parts"
in_parts=$(value weights_digest)
must_succeed '"steps": 4' train "$deck" --json --set "run.output=$folder/in_one"
[ "$(value weights_digest)" = "$in_parts" ] || complain "another digest from a data set in parts"

RANKS=1
# Evaluation data that do not fit: fewer dense numbers, another vocabulary.
awk -F'\t' -v OFS=, '{ print $1, $2, $15 }' "$folder/raw/test.txt" >"$folder/raw/test.csv"
cat >"$folder/csv.toml" <<DECK
[preprocess]
format = "table"
train = ["$folder/raw/test.csv"]
output = "$folder/csv"
[[preprocess.column]]
name = "label"
kind = "label"
positive = ["1"]
negative = ["0"]
[[preprocess.column]]
name = "I1"
kind = "number"
[[preprocess.column]]
name = "C1"
kind = "category"
DECK
must_succeed '"rows": 100' preprocess "$folder/csv.toml" --json
{ cat "$folder/csv.toml"; printf '[[preprocess.join]]\nfile = "none.csv"\non = "C1"\ncolumns = ["I1"]\n'; } >"$folder/join.toml"
must_fail 'join.toml:17: preprocess.join.0.file: none.csv: there is no such file' preprocess "$folder/join.toml"
must_fail 'does not fit '"$folder/data/train.h5"': it lacks the features "C2", ' train "$deck" --set "data.evaluate=$folder/csv/train.h5"
must_fail 'its ids are of another vocabulary (vocabulary_digest ' train "$deck" --set "data.evaluate=$folder/other/train.h5"
must_succeed '"steps": 4' train "$deck" --json
must_fail 'does not fit the data of '"$folder/run/checkpoints/step_" evaluate "$deck" --set "data.evaluate=$folder/csv/train.h5"
must_fail 'its ids are of another vocabulary (vocabulary_digest ' predict "$deck" --set "data.evaluate=$folder/other/train.h5"

# Columns in another order are taken by name; other bytes under the same path are refused.
columns_deck() { # NAME NUMBER NUMBER CATEGORY CATEGORY FIELD...: writes a deck with columns for those fields of the log
  local name=$1 n1=$2 n2=$3 c1=$4 c2=$5
  awk -F'\t' -v OFS=, "{ print \$1, \$$6, \$$7, \$$8, \$$9 }" "$folder/raw/test.txt" >"$folder/raw/$name.csv"
  cat >"$folder/$name.toml" <<DECK
run.output = "$folder/columns"
data = {train = ["$folder/one/train.h5"], evaluate = ["$folder/$name/train.h5"]}
model = {embedding_dim = 4, bottom = [4], top = [4, 1]}
train = {batch_size = 25, epochs = 4}
preprocess = {format = "table", train = ["$folder/raw/$name.csv"], output = "$folder/$name", column = [
  {name = "label", kind = "label", positive = ["1"], negative = ["0"]}, {name = "$n1", kind = "number"},
  {name = "$n2", kind = "number"}, {name = "$c1", kind = "category"}, {name = "$c2", kind = "category"}]}
DECK
  must_succeed '"rows": 100' preprocess "$folder/$name.toml" --json
}
columns_deck one I1 I2 C1 C2 2 3 15 16
columns_deck turned I2 I1 C2 C1 3 2 16 15
must_succeed '"steps": 16' train "$folder/one.toml" --json
evaluated() { grep -o '"log_loss": [^,}]*' "$folder/out"; }
must_succeed '"log_loss"' evaluate "$folder/one.toml" --json
expected=$(evaluated)
must_succeed '"log_loss"' evaluate "$folder/turned.toml" --json
[ "$(evaluated)" = "$expected" ] || complain "columns in another order have another log loss than $expected"
[ "$(grep -c 'are in another order' "$folder/err")" = 1 ] || complain "the other order is not said once"
must_succeed '"samples": 100' predict "$folder/turned.toml" --json
must_succeed '"exit_reason": "finished"' train "$folder/turned.toml" --json --set train.epochs=5
sed -i 's/^0/2/; s/^1/0/; s/^2/1/' "$folder/raw/one.csv"
must_succeed '"rows": 100' preprocess "$folder/one.toml" --json
must_fail 'was made with other data than' train "$folder/one.toml" --set train.epochs=6
must_succeed '"log_loss"' evaluate "$folder/turned.toml" --json
must_succeed '"steps": 24' train "$folder/one.toml" --json --set train.epochs=6 --set 'checkpoint.accept=["data"]'
[ "$(grep -c 'has other bytes than before under the same name' "$folder/err")" = 1 ] || complain "other bytes are not said once"

# The data's description in a checkpoint, and labels with another meaning.
checkpoint=$(echo "$folder"/columns/checkpoints/step_*24)
must_succeed '"features": ["C1", "C2"], "rows": [' verify "$checkpoint" --json
for part in '"tables": {"C1": {"rows": ' '"dense_names": ["I1", "I2"]' '"label_values": "1 is \"1\", 0 is \"0\""' '"data_files": ["train.h5, '; do
  grep -qF -- "$part" "$folder/out" || complain "verify does not tell $part"
done
grep -q '^  label_values: ' "$folder/err" || complain "verify has no line of the labels"
sed -i 's/positive = \["1"\], negative = \["0"\]/positive = ["0"], negative = ["1"]/; s|/turned"|/swapped"|; s|/turned/train|/swapped/train|' "$folder/turned.toml"
must_succeed '"rows": 100' preprocess "$folder/turned.toml" --json
for command in evaluate predict train; do
  must_fail 'its label values differ (1 is "0", 0 is "1"; not: 1 is "1", 0 is "0")' $command "$folder/turned.toml"
done

# Points of a sweep that ended on other data.
swept() {
  local values=$1
  shift
  "$@" "$folder/one.toml" --set "run.output=$folder/swept" --set 'sweep.metric="auc"' --set "sweep.keys.\"optimizer.dense.lr\"=$values"
}
swept '[0.1, 0.2]' must_succeed '2 of 2 points ended' sweep run
sed -i '1s/^[^,]*/1/' "$folder/raw/one.csv"
must_succeed '"rows": 100' preprocess "$folder/one.toml" --json
swept '[0.1, 0.2, 0.3]' must_fail 'the points of indices 0, 1 ended on other data than' sweep run
swept '[0.1, 0.2, 0.3]' must_fail 'put the data back, remove the folders of these points' sweep run
swept '[0.1, 0.2, 0.3]' must_succeed 'missing: index 2' sweep collect
grep -q 'warning: .*the points of indices 0, 1 ended on other data' "$folder/err" || complain "collect does not name the points of other data"
grep -q '"other_data": \[0, 1\]' "$folder/swept/sweep.json" || complain "sweep.json does not name them"
run "$TESSEREC" report "$folder/swept"
[ "$code" = 0 ] || complain "the report ends with exit code $code"
grep -q 'warning: .*2 points ended on other data' "$folder/err" || complain "the report does not say so"
rm -r "$folder"/swept/*=0.[12]*
swept '[0.1, 0.2, 0.3]' must_succeed '3 of 3 points ended' sweep run

# A data file that changes while it is read ends the run on whichever rank reads it next.
RANKS=$some
cp "$folder/data/train.h5" "$folder/live.h5"
(for _ in $(seq 300); do [ -s "$folder/live/metrics.jsonl" ] && break; sleep 0.1; done; touch "$folder/live.h5") &
must_fail 'live.h5 was changed while it was being read; leave the files of a run alone' train "$deck" --set "data.train=$folder/live.h5" \
  --set "run.output=$folder/live" --set train.epochs=1000000 --set train.log_every=1
wait
finish
