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

must_fail 'tesserec generate needs --print N' generate "$reference"
must_fail '--print must be an integer, 1 to' generate "$reference" --print 0
must_fail '--print must be an integer, 1 to' generate "$reference" --print two
must_fail 'reference_batches.toml:11: data.synthetic.bit_generator is mt19937, which draws the samples in order; set train.shuffle = false' \
  generate "$reference" --print 1 --set train.shuffle=true
must_fail 'is mt19937, which requires kind = "reference"' check "$reference" --set data.synthetic.kind=planted
must_fail '--set 1: run.seed is 4294967296, but mt19937 takes seeds below 2^32' check "$reference" --set run.seed=4294967296
must_fail 'data.train is missing' generate "$reference" --print 1 --set data.synthetic.kind=none
finish
