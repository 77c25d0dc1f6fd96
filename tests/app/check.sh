#!/usr/bin/env bash
# check of a valid deck: the model with its computed widths, in numbers of the reference DLRM's tiny example, top
# 8-4-2-1.
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
must_succeed 'bottom       mlp of dense: 4-3-2' check "$deck"
must_succeed 'top          mlp of interaction: 8-4-2-1' check "$deck"
must_succeed 'top          mlp of interaction: 12-4-2-1' check "$deck" --set model.itself=true
must_succeed 'top          mlp of interaction: 5-4-2-1' check "$deck" --set 'data.synthetic.rows=[4, 3]'
must_succeed 'top          mlp of interaction: 6-4-2-1' check "$deck" --set 'data.synthetic.rows=[4, 3]' --set model.interaction=cat
must_succeed 'interaction  dot of bottom, pooled: 4 vectors of 2, 8 wide' check "$deck"
must_succeed 'tables       3 for 3 features, 9 rows' check "$deck"
must_succeed 'tables       3 for 3 features, 8 rows' check --set data.synthetic.max_rows=3 "$deck"
must_succeed 'top          mlp of interaction: 7-4-2-1' check "$deck" --set model.interaction=cat --set 'data.synthetic.rows=[4, 3]' --set 'model.bottom=[3, 3]'
must_succeed 'memory       288 B for layers, 72 B for tables' check "$deck"
must_succeed 'memory       864 B for layers, 108 B for tables' check "$deck" --set optimizer.dense.type=adam --set optimizer.sparse.type=rowwise_adagrad
must_succeed 'schedule     from step 14 on the learning rate stays at 0.004 (dense) and 1e-07 (sparse)' check "$deck" \
  --set schedule.decay_start_step=10 --set schedule.decay_steps=5 --set optimizer.dense.lr=0.1 --set optimizer.sparse.lr=0.000001
must_succeed 'table C2: 3 rows x 2 columns, 24 B, kernel fused' check "$deck"
must_succeed 'table C2: 3 rows x 2 columns, 72 B, kernel dense' check "$deck" --set optimizer.dense.type=adam --set plan.tables.C2.kernel=dense
must_succeed '"table_list": [{"name": "C1", "rows": 4, "dim": 2, "format": "fp32", "features": ["C1"], "unpooled": [], "kernel": "fused", "bytes": 32}, {' check "$deck" --json
must_succeed '"name": "interaction", "type": "dot", "inputs": ["bottom", "pooled"], "shape": "4 vectors of 2, 8 wide", "width": 8' check "$deck" --json
"$JSON_CHECK" <"$folder/out" || complain "--json is not one JSON object"

# Features that no [[table]] names are told.
! grep -q 'left out' "$folder/out" || complain 'features are left out without [[table]]'
must_succeed 'left out     no [[table]] names C2, C3, so the model does not read them' check "$deck" --set 'table=[{name="C1"}]'
must_succeed '"steps"' train "$deck" --json --set 'table=[{name="C1"}, {name="C2"}]' --set train.lanes=2 \
  --set "run.output=$folder/two_tables"
grep -qF 'no [[table]] names C3, so the model does not read it' "$folder/err" || complain 'a feature is left out silently'

# Keys that nothing reads are told once, whatever the number of ranks, by the commands that would read them.
unread=(--set optimizer.sparse.beta1=0.5 --set plan.cache=0.5 --set evaluate.k=3)
for key in 'optimizer.sparse.beta1' 'plan.cache' 'evaluate.k'; do
  must_succeed 'is valid' check "$deck" "${unread[@]}"
  [ "$(grep -c "^warning: --set [1-3]: $key does nothing, because .*; remove it, or " "$folder/err")" = 1 ] ||
    complain "check does not tell once that nothing reads $key"
done
must_succeed '"ranks"' plan "$deck" --json "${unread[@]}" --set train.lanes=2
[ "$(grep -c '^warning: .* does nothing' "$folder/err")" = 1 ] || complain 'plan does not tell once that nothing reads plan.cache'
must_succeed '"steps"' train "$deck" --json "${unread[@]}" --set train.lanes=2 --set "run.output=$folder/unread"
[ "$(grep -c '^warning: .* does nothing' "$folder/err")" = 3 ] || complain 'train does not tell once what nothing reads'
must_succeed 'is valid' check "$deck"
! grep -q 'does nothing' "$folder/err" || complain 'a deck has unread keys that it does not set'

# Layer by layer: errors that need the data name the line of the layer.
must_succeed 'inputs = ["bottom", "pooled"]' check "$deck" --network
cp "$folder/out" "$folder/layers.toml"
must_succeed 'top          mlp of interaction: 8-4-2-1' check "$folder/layers.toml"
line=$(grep -n 'name = "interaction"' "$folder/layers.toml" | cut -d : -f 1)
for command in check train; do
  must_fail "layers.toml:$((line - 1)): model.layer.interaction: the vectors of a dot must have one dimension, but bottom has 5 numbers and C1 has 2" \
    "$command" "$folder/layers.toml" --set 'model.layer.bottom.widths=[3, 5]' --set train.lanes=2
done
must_fail 'model.layer.interaction: the vectors of a dot must have one dimension, but bottom has 2 numbers and C2 has 3' check "$deck" \
  --set 'table=[{name="C1"}, {name="C2", dim=3}, {name="C3"}]'
must_fail 'model.layer.bottom reads "top", which comes after it' check "$folder/layers.toml" --set model.layer.bottom.inputs=top
must_fail 'no layer reads the pooled vector C1' check "$folder/layers.toml" --set model.layer.interaction.inputs=bottom

# Tables divided in two and of mixed dimensions, in their final shapes.
smaller=(--set 'data.synthetic.rows=[900, 30, 2]' --set model.qr_collisions=7)
must_succeed 'pooled.C1    multiply of pooled.C1@C1_quotient, pooled.C1@C1_remainder: 2 wide' check "$deck" "${smaller[@]}"
must_succeed 'tables       4 for 3 features, 168 rows' check "$deck" "${smaller[@]}"
must_succeed 'table C1_quotient: 129 rows x 2 columns' check "$deck" "${smaller[@]}"
must_succeed 'table C1_remainder: 7 rows x 1 column,' check "$deck" "${smaller[@]}" --set model.qr_operation=concat
must_succeed 'table C1: 900 rows x 1 column,' check "$deck" "${smaller[@]}" --set model.md_temperature=0.3 --set 'table=[{name="C1", qr_collisions=0}, {name="C2"}, {name="C3"}]'
must_succeed 'pooled.C1    mlp of pooled.C1@C1: 1-2' check "$deck" "${smaller[@]}" --set model.md_temperature=0.3 --set model.qr_collisions=0
must_succeed '"pooled.C1" -> "interaction"' check "$deck" "${smaller[@]}" --dot
must_succeed 'table C1_quotient: 129 rows x 2 columns' generate "$deck" "${smaller[@]}" --print 1
must_succeed 'C1_quotient' plan "$deck" "${smaller[@]}" --set plan.tables.C1_quotient.sharding=row_wise --set train.lanes=2
must_fail 'plan.tables.C1: there is no table "C1"; the tables are C1_quotient, C1_remainder, C2, C3' plan "$deck" "${smaller[@]}" --set plan.tables.C1.sharding=row_wise
sed 's/^embedding_dim = 2/&\nqr_collisions = 7\nqr_threshold = 29/; s/^rows = .*/rows = [900, 30, 2]/' "$deck" >"$folder/smaller.toml"
sed 's/^qr_collisions = 7/qr_collisions = 30/; s/^samples = 6/&\nevaluate_samples = 6/' "$folder/smaller.toml" >"$folder/many.toml"
line=$(grep -n '^qr_collisions' "$folder/many.toml" | cut -d : -f 1)
for command in check train evaluate plan generate bench; do
  [ $command = generate ] && some=(--print 1) || some=()
  must_fail "many.toml:$line: model.qr_collisions is 30, but table C2 has 30 rows; give a smaller number, or raise model.qr_threshold to 30" \
    "$command" "$folder/many.toml" --set train.lanes=2 "${some[@]}"
done
must_fail 'model.qr_operation is concat, which halves the columns, but table C1 has 3' check "$folder/smaller.toml" \
  --set model.qr_operation=concat --set 'model.bottom=[3, 3]' --set model.embedding_dim=3
must_fail 'table.C2.qr_collisions is 30, but table C2 has 30 rows; give a smaller number, or 0 for a whole table' check "$folder/smaller.toml" \
  --set 'table=[{name="C1"}, {name="C2", qr_collisions=30}, {name="C3"}]'
must_fail 'model.qr_operation must be one of add | mult | concat' check "$folder/smaller.toml" --set model.qr_operation=xor
must_fail 'model.qr_collisions must be an integer, at least 0' check "$folder/smaller.toml" --set model.qr_collisions=-1
must_fail 'model.md_temperature must be a finite number, 0 to 1' check "$folder/smaller.toml" --set model.md_temperature=1.5
must_fail 'the vectors of a dot must have one dimension, but bottom has 2 numbers and C1 has 4' check "$folder/smaller.toml" \
  --set 'table=[{name="C1", projection=4}, {name="C2"}, {name="C3"}]'

# The model as a picture.
must_succeed '"interaction" [shape=box, label="interaction\ndot: 4 vectors of 2, 8 wide"]' check "$deck" --dot
grep -qF '"pooled" -> "interaction"' "$folder/out" || complain "the picture lacks an arrow"

must_succeed '"batch_size": 64' check "$deck" --json --set=train.batch_size=64

# A plan's file for any number of ranks is read; it is refused if it is no plan or breaks the deck's constraints.
must_succeed '"ranks": 4' plan "$deck" --json --ranks 4 --set plan.default=row_wise --set train.batch_size=4 --set train.lanes=4
sed 's/"kernel": "fused"/"kernel": "dense"/' "$folder/out" >"$folder/plan.json"
given=(--set "plan.file=$folder/plan.json" --set train.batch_size=4 --set train.lanes=4)
must_fail 'plan.json: 4 ranks need at least as many lanes, but train.lanes is 2; set train.lanes = 4, or run on 2 ranks at most' check "$deck" "${given[@]}" \
  --set train.lanes=2
must_succeed 'plan.json, for 4 ranks' check "$deck" "${given[@]}"
must_succeed 'table C2: 3 rows x 2 columns, 72 B, kernel dense' check "$deck" "${given[@]}" --set optimizer.dense.type=adam
must_succeed '"plan_ranks": 4' check "$deck" "${given[@]}" --json
must_fail 'plan.json: table C1: the plan is row_wise, but plan.default is table_wise; remove that key' check "$deck" "${given[@]}" --set plan.default=table_wise
must_fail 'plan.json: table C2: the plan has kernel dense, but plan.tables.C2.kernel is fused' check "$deck" "${given[@]}" --set plan.tables.C2.kernel=fused
must_fail 'table C1: the plan has rows = 4, but this model has 5' check "$deck" "${given[@]}" --set 'data.synthetic.rows=[5, 3, 2]'
must_fail "--set 1: plan.file: $folder/none.json: cannot read this plan" check "$deck" --set "plan.file=$folder/none.json"
head -c 200 "$folder/plan.json" >"$folder/cut.json"
must_fail 'cut.json: ' check "$deck" --set "plan.file=$folder/cut.json"

# A dataset that only HDF5 files describe leaves open the facts that the deck alone lacks.
printf '[data]\ntrain = "none.h5"\n' >"$deck"
must_succeed '?' check "$deck"
must_succeed 'plan.json, not read: the rows of the tables are not known yet' check "$deck" "${given[@]}"
must_succeed 'table a: 7 rows x 16 columns' check "$deck" --set 'table=[{name="a", rows=7}]'
must_succeed 'null' check "$deck" --json
"$JSON_CHECK" <"$folder/out" || complain "--json is not one JSON object"

# Tables compared with the data of a generator.
printf '[data.synthetic]\nkind = "planted"\nsamples = 1\nrows = [4, 3]\n[[table]]\nname = "C3"\n' >"$deck"
must_fail 'table C3: the data' check "$deck"
must_succeed 'top          mlp of interaction: 17-512-256-1' check "$deck" --set table.C3.features=C1
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
