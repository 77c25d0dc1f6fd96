#!/usr/bin/env bash
# generate shows batches of every source on $RANKS ranks, and the three published mini-batches of the reference
# generator.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_samples.sh"
reference="$(dirname "$0")/../../inputs/reference_batches.toml"
cat >"$folder/published" <<'TEXT'
reference generator: 3 batches of 2 samples
table C1: 4 rows x 2 columns; feature C1
table C2: 3 rows x 2 columns; feature C2
table C3: 2 rows x 2 columns; feature C3
batch 0: 2 samples
  dense   0.4170 0.7203 0.0001 0.3023
          0.1468 0.0923 0.1863 0.3456
  C1      lengths [2, 3], offsets [0, 2, 5], ids [1, 2, 0, 1, 3]
  C2      lengths [1, 1], offsets [0, 1, 2], ids [1, 0]
  C3      lengths [2, 1], offsets [0, 2, 3], ids [0, 1, 1]
  targets 0.8946 0.0850
batch 1: 2 samples
  dense   0.0391 0.1698 0.8781 0.0983
          0.4211 0.9579 0.5332 0.6919
  C1      lengths [1, 3], offsets [0, 1, 4], ids [2, 0, 2, 3]
  C2      lengths [2, 1], offsets [0, 2, 3], ids [1, 2, 1]
  C3      lengths [1, 1], offsets [0, 1, 2], ids [0, 0]
  targets 0.6788 0.2116
batch 2: 2 samples
  dense   0.2655 0.4916 0.0534 0.5741
          0.1467 0.5893 0.6998 0.1023
  C1      lengths [2, 1], offsets [0, 2, 3], ids [1, 2, 2]
  C2      lengths [2, 2], offsets [0, 2, 4], ids [1, 2, 0, 2]
  C3      lengths [1, 1], offsets [0, 1, 2], ids [1, 0]
  targets 0.9275 0.3478
TEXT
for count in 3 9; do  # an epoch has three
  must_succeed 'batch 2: 2 samples' generate "$reference" --print $count
  diff "$folder/published" "$folder/out" || complain "not the published mini-batches"
done
must_succeed 'batch 0' generate "$reference" --print 1
[ "$(grep -c '^batch' "$folder/out")" = 1 ] || complain "not one batch"
must_succeed '"features": [{"name": "C1", "lengths": [1, 3], "offsets": [0, 1, 4], "ids": [2, 0, 2, 3]}, {"name": "C2"' \
  generate "$reference" --print 2 --json
"$JSON_CHECK" <"$folder/out" || complain "--json is not one JSON object"
[ "$(value rows)" = 4 ] || complain "not the rows of a table"

# Bags of ten draws keep each id once: mostly all the ids of small tables.
must_succeed 'C1      lengths [4, 4]' generate "$reference" --print 1 --set data.synthetic.variable_bags=false

# Other sources.
planted_deck "$folder/planted.toml"
must_succeed 'table C2: 30 rows x 4 columns; feature C2' generate "$folder/planted.toml" --print 2
grep -q 'C1      lengths \[1, 1, 1' "$folder/out" || complain "not a planted batch"
criteo_deck "$folder/deck.toml"
must_succeed '"rows": 200' preprocess "$folder/deck.toml" --json
must_succeed 'batch 3: 8 samples' generate "$folder/deck.toml" --print 9
must_fail 'of feature C1 in sample' generate "$folder/deck.toml" --print 9 --set 'table=[{name="C1", rows=3}]'

# Samples written to files have the same bytes from any ranks, and train and preprocess like those of others.
planted_deck "$folder/written.toml"
small=(--set data.synthetic.samples=70000 --set data.synthetic.evaluate_samples=300)
must_succeed '"samples": 70000' generate "$folder/written.toml" "${small[@]}" --write "$folder/made" --json
ranks=$RANKS
RANKS=$((3 - ranks)) must_succeed '"written"' generate "$folder/written.toml" "${small[@]}" --write "$folder/made_again" --json
diff -r "$folder/made" "$folder/made_again" || complain "other bytes from other ranks"
ls "$folder/made" >"$folder/out"
[ "$(tr '\n' ' ' <"$folder/out")" = "evaluate.h5 train.h5 " ] || complain "not only the data sets"
must_succeed '"rows": 70000' inspect "$folder/made/train.h5" --json
for source in "$folder/written.toml" files; do  # the same batches from the generator and from its files
  deck=$folder/written.toml
  changes=("${small[@]}" --set train.shuffle=false)
  if [ "$source" = files ]; then
    sed '/^\[data.synthetic\]/,/^\[model\]/{/^\[model\]/!d}' "$deck" >"$folder/files.toml"
    deck=$folder/files.toml
    changes=(--set train.shuffle=false --set "data.train=$folder/made/train.h5")
  fi
  must_succeed 'batch 0' generate "$deck" "${changes[@]}" --print 3
  grep -v 'batches of' "$folder/out" >"$folder/batches.$(basename "$source")"
done
diff "$folder/batches.written.toml" "$folder/batches.files" || complain "not the generator's batches"
must_fail 'exists; name another one with --write' generate "$folder/written.toml" --write "$folder/made"
must_fail "--write: $folder/deck.toml: cannot create this folder: a file has its name" generate "$folder/written.toml" --write "$folder/deck.toml/x"
must_fail 'write it with --format hdf5' generate "$folder/written.toml" --write "$folder/x" --format tsv
[ ! -e "$folder/x" ] && [ ! -e "$folder/x.tmp" ] || complain "a failed job left its folder"

# Criteo's lines, plain and packed, which preprocess reads.
rows=$(printf '30, %.0s' {1..26})
criteo=(--set "data.synthetic.rows=[$rows]" --set data.synthetic.dense_features=13 --set data.synthetic.ids_per_bag=1
  --set data.synthetic.samples=40000 --set data.synthetic.evaluate_samples=100)
must_succeed '"ids": 1040000' generate "$folder/written.toml" "${criteo[@]}" --write "$folder/tsv" --format tsv --json
RANKS=$((3 - ranks)) must_succeed '"written"' generate "$folder/written.toml" "${criteo[@]}" --write "$folder/gz" --format gz --json
gzip -dc "$folder/gz/train-00000.tsv.gz" | cmp - "$folder/tsv/train-00000.tsv" || complain "other text in the .gz file"
[ "$(wc -l <"$folder/tsv/train-00000.tsv") $(wc -l <"$folder/tsv/evaluate-00000.tsv")" = "40000 100" ] ||
  complain "not a line for each sample"
printf '[preprocess]\ntrain = ["%s"]\nevaluate = ["%s"]\noutput = "%s"\n' "$folder/gz/train-*.tsv.gz" \
  "$folder/tsv/evaluate-*.tsv" "$folder/from_gz" >"$folder/raw.toml"
must_succeed '"rows": 40000' preprocess "$folder/raw.toml" --json
# The same as Parquet, from which a model learns the same, or the refusal of a build without Arrow.
if [ "$PARQUET" = 0 ]; then
  must_fail '--format parquet: this build has no Arrow to write Parquet files; configure with -DTESSEREC_PARQUET=ON' \
    generate "$folder/written.toml" "${criteo[@]}" --write "$folder/x" --format parquet
else
  must_succeed '"ids": 1040000' generate "$folder/written.toml" "${criteo[@]}" --write "$folder/parquet" \
    --format parquet --json
  RANKS=$((3 - ranks)) must_succeed '"ids": 1040000' generate "$folder/written.toml" "${criteo[@]}" \
    --write "$folder/parquet_again" --format parquet --json
  diff -r "$folder/parquet" "$folder/parquet_again" || complain "other Parquet from other ranks"
  must_succeed '"rows": 40000' preprocess "$folder/raw.toml" --json --set "preprocess.output=$folder/from_parquet" \
    --set "preprocess.train=$folder/parquet/train-*.parquet" --set "preprocess.evaluate=$folder/parquet/evaluate-*"
  small_model=(--set model.type=dlrm --set model.embedding_dim=4 --set model.bottom=[4] --set model.top=[1]
    --set train.batch_size=512 --set train.steps=5)
  for form in gz parquet; do
    printf '[data]\ntrain = ["%s"]\n' "$folder/from_$form/train.h5" >"$folder/train_$form.toml"
    must_succeed '"weights_digest"' train "$folder/train_$form.toml" --json "${small_model[@]}" \
      --set "run.output=$folder/run_$form"
    value weights_digest >>"$folder/digests"
  done
  [ "$(sort -u "$folder/digests" | wc -l)" = 1 ] || complain "other weights from Parquet"
fi
[ ! -e "$folder/x" ] || complain "a refused job left its folder"
must_fail 'label 0.' generate "$folder/written.toml" "${criteo[@]}" --write "$folder/x" --format tsv \
  --set data.synthetic.kind=reference --set data.synthetic.variable_bags=false

# A profile has ids alone, so labels may be missing. That of the written samples is replayed.
printf '1,1,a\n0,,b\n1,0,a\n' >"$folder/tasks.csv"
cat >"$folder/tasks.toml" <<EOF
[preprocess]
format = "table"
train = ["$folder/tasks.csv"]
output = "$folder/tasks"
column = [
  {name = "click", kind = "label", positive = ["1"], negative = ["0"]},
  {name = "buy", kind = "label", positive = ["1"], negative = ["0"], optional = true},
  {name = "item", kind = "category"},
]
EOF
run "$TESSEREC" preprocess "$folder/tasks.toml"
must_succeed '"format": "tesserec-profile"' generate --profile "$folder/tasks/train.h5"
must_succeed '"format": "tesserec-profile"' generate --profile "$folder/made/train.h5"
cp "$folder/out" "$folder/profile.json"
rows=$(grep -oE '"rows": [0-9]+' "$folder/profile.json" | grep -oE '[0-9]+' | tr '\n' ',')
trace=(--set data.synthetic.kind=reference --set data.synthetic.ids=trace --set train.shuffle=false
  --set "data.synthetic.profile=$folder/profile.json" --set "data.synthetic.rows=[$rows]" "${small[@]}")
grep -v 'ids_per_bag\|variable_bags\|bag_lengths' "$folder/written.toml" >"$folder/trace.toml"
must_succeed '"written"' generate "$folder/trace.toml" "${trace[@]}" --write "$folder/replayed" --json
must_succeed '"samples": 70000' generate --profile "$folder/replayed/train.h5"
diff "$folder/profile.json" "$folder/out" || complain "the replay has another profile"
must_fail "$folder/no.h5" generate --profile "$folder/no.h5"
must_fail 'does one of --print and --write' generate "$folder/written.toml" --print 1 --write "$folder/x"
must_fail '--format applies only to --write' generate "$folder/written.toml" --print 1 --format tsv

# Bags made of single ids.
printf '[data]\ntrain = ["%s"]\nmulti_hot_sizes = [%s]\n[model]\nembedding_dim = 4\nbottom = [4]\ntop = [1]\n' \
  "$folder/from_gz/train.h5" "$(printf '3, %.0s' {1..26})" >"$folder/multi_hot.toml"
must_succeed 'C26     lengths [3, 3' generate "$folder/multi_hot.toml" --print 1 --set train.batch_size=64
must_fail 'data.multi_hot_sizes has 1 size for 26 features' generate "$folder/multi_hot.toml" --print 1 \
  --set train.batch_size=64 --set data.multi_hot_sizes=[3]

must_fail 'tesserec generate needs --print N' generate "$reference"
must_fail '--print must be an integer, 1 to' generate "$reference" --print 0
must_fail '--print must be an integer, 1 to' generate "$reference" --print two
must_fail 'reference_batches.toml:11: data.synthetic.bit_generator is mt19937, which draws the samples in order; set train.shuffle = false' \
  generate "$reference" --print 1 --set train.shuffle=true
must_fail 'is mt19937, which requires kind = "reference"' check "$reference" --set data.synthetic.kind=planted
must_fail '--set 1: run.seed is 4294967296, but mt19937 takes seeds below 2^32' check "$reference" --set run.seed=4294967296
must_fail 'data.train is missing' generate "$reference" --print 1 --set data.synthetic.kind=none
finish
