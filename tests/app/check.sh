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
must_succeed 'top MLP      7-4-2-1' check "$deck" --set model.interaction=cat --set 'data.synthetic.rows=[4, 3]' --set 'model.bottom=[3, 3]'
must_succeed '"interaction_width": 8' check "$deck" --json
"$JSON_CHECK" <"$folder/out" || complain "--json is not one JSON object"

must_succeed '"batch_size": 64' check "$deck" --json --set=train.batch_size=64

# A data set that only HDF5 files describe: what the deck alone cannot know is open.
printf '[data]\ntrain = "none.h5"\n' >"$deck"
must_succeed '?' check "$deck"
must_succeed 'null' check "$deck" --json
"$JSON_CHECK" <"$folder/out" || complain "--json is not one JSON object"

# Tables against the data that a generator gives.
printf '[data.synthetic]\nkind = "planted"\nsamples = 1\nrows = [4, 3]\n[[table]]\nname = "C3"\n' >"$deck"
must_fail 'table C3: the data' check "$deck"
must_succeed 'top MLP      17-512-256-1' check "$deck" --set table.C3.features=C1
for command in check plan train; do
  must_fail 'table C3 is weighted, but the data (planted model) have no weights for feature "C1"' $command "$deck" \
    --set table.C3.features=C1 --set table.C3.weighted=true
done
must_fail 'plan.tables.C9: there is no table "C9"' check "$deck" --set plan.tables.C9.sharding=row_wise
printf '[data.synthetic]\nkind = "planted"\nsamples = 1\nrows = [4, 3]\n[plan.tables.C9]\nkernel = "fused"\n' >"$deck"
must_fail 'tiny.toml:5: plan.tables.C9: there is no table "C9"' check "$deck"
: >"$folder/not.h5"
printf '[data]\ntrain = "%s/not.h5"\n' "$folder" >"$deck"
must_fail 'not.h5' check "$deck"
finish
