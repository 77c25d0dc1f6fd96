#!/usr/bin/env bash
# A valid deck: the model with its computed widths. Numbers: the reference DLRM's tiny example, top 8-4-2-1.
. "$(dirname "$0")/lib.sh"
deck="$folder/tiny.toml"
cat >"$deck" <<'EOF'
[data.synthetic]
kind = "reference"
samples = 6
rows = [4, 3, 2]
dense_features = 4
ids_per_bag = 10
[model]
embedding_dim = 2
bottom = [3, 2]
top = [4, 2, 1]
[train]
batch_size = 2
EOF
must_succeed 'bottom MLP   4-3-2' check "$deck"
must_succeed 'top MLP      8-4-2-1' check "$deck"
must_succeed 'top MLP      12-4-2-1' check "$deck" --set model.itself=true
must_succeed 'top MLP      5-4-2-1' check "$deck" --set 'data.synthetic.rows=[4, 3]'
must_succeed 'top MLP      6-4-2-1' check "$deck" --set 'data.synthetic.rows=[4, 3]' --set model.interaction=cat
must_succeed 'tables       3, 9 rows' check "$deck"
must_succeed 'tables       3, 8 rows' check --set data.synthetic.max_rows=3 "$deck"
must_succeed '"interaction_width": 8' check "$deck" --json
"$JSON_CHECK" <"$folder/out" || complain "--json is not one JSON object"

must_succeed '"batch_size": 64' check "$deck" --json --set=train.batch_size=64

# A data set that only HDF5 files describe: what the deck alone cannot know is open.
printf '[data]\ntrain = "none.h5"\n' >"$deck"
must_succeed '?' check "$deck"
must_succeed 'null' check "$deck" --json
"$JSON_CHECK" <"$folder/out" || complain "--json is not one JSON object"
finish
