#!/usr/bin/env bash
# Runs that must not begin or go on, on $RANKS (at least 2) ranks: sizes, checkpoints, folders, numbers that are not finite.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_samples.sh"
deck="$folder/deck.toml"
planted_deck "$deck"
newest="$folder/run/checkpoints/step_000000016"

# Sizes.
must_fail "train.batch_size = 1 is smaller than the number of ranks, $RANKS" train "$deck" --set train.batch_size=1
must_fail "$RANKS ranks need at least as many lanes, and train.lanes is 1; set train.lanes = " train "$deck" --set train.lanes=1
must_fail "train.lanes is 1 (from train.batch_size); set train.lanes = " train "$deck" --set train.lanes=0

# A plan's file may not give the dense kernel to an optimizer without it, nor may the deck.
printf '[[table]]\nname = "C1"\noptimizer = {type = "rowwise_adagrad"}\n' | cat "$deck" - >"$folder/table.toml"
run "$TESSEREC" plan "$folder/table.toml" --json
sed 's/"kernel": "fused"/"kernel": "dense"/' "$folder/out" >"$folder/plan.json"
for command in train plan; do
  must_fail 'table C1 has kernel dense and optimizer rowwise_adagrad' $command "$folder/table.toml" --set "plan.file=$folder/plan.json"
done
for command in train plan check; do
  must_fail 'plan.tables.C1.kernel is dense, but' $command "$folder/table.toml" --set plan.tables.C1.kernel=dense
done

# Folders that cannot be written are found before the first step.
for key in run.output checkpoint.path; do
  must_fail "set run.output or checkpoint.path" train "$deck" --set "$key=$deck/x"
  ! grep -q '^step ' "$folder/err" || complain "$key: it trained first"
done

# Not finite.
must_fail 'step 2: the loss is not a number; lower the learning rate' train "$deck" --set optimizer.dense.lr=1e30
must_fail 'step 2: the ' train "$deck" --set optimizer.sparse.lr=1e30
[ -z "$(ls -A "$folder/run/checkpoints")" ] || complain "a checkpoint after numbers that are not finite"
must_fail 'no whole checkpoint in' evaluate "$deck"
must_fail 'no whole checkpoint in' predict "$deck"

# Checkpoints of another run. One rank is enough: all of this is said by all ranks.
some=$RANKS RANKS=1
must_succeed '"steps": 16' train "$deck" --json --set checkpoint.every_steps=6 --set checkpoint.keep=3
must_fail 'no evaluation data; give data.evaluate, or data.synthetic.evaluate_samples' evaluate "$deck" --set data.synthetic.evaluate_samples=0
must_fail 'was made with 5 dense features, the data at hand' train "$deck" --set data.synthetic.dense_features=6
must_fail 'tables/C1/row_sum is 50 x 1 in this checkpoint, and 51 x 1 in the model' train "$deck" --set data.synthetic.rows.0=51
must_fail 'is 8 x 1 in this checkpoint, and 9 x 1 in the model' train "$deck" --set model.bottom.0=9
must_fail 'has tables/C1/row_sum, which the model does not have: it is of another model or optimizer' train "$deck" --set optimizer.sparse.type=sgd
must_fail 'exp_avg (8 x 1), which this checkpoint does not have' train "$deck" --set optimizer.dense.type=adam
must_fail 'was made with run.seed = 1, this run has 3' train "$deck" --set run.seed=3
must_fail 'there is no such checkpoint folder' train "$deck" --set "checkpoint.resume=$folder/none"
must_succeed '"steps": 16' train "$deck" --json --set "checkpoint.resume=$folder/run/checkpoints/step_000000012"
must_succeed "\"checkpoint\": \"$newest\"" train "$deck" --json
grep -q '^finished before: step 16 of 16' "$folder/err" || complain "a finished run does not say so"

# Damage. The byte lies in a dataset whose place the manifest tells.
RANKS=$some
cp -r "$newest" "$folder/good"
damaged() {
  must_fail "$1" train "$deck"
  grep -q 'name another checkpoint with checkpoint.resume' "$folder/err" || [ "${2:-}" = newer ] || complain "no advice: $1"
  RANKS=1
  must_fail "$1" evaluate "$deck"
  RANKS=$some
  rm -r "$newest"
  cp -r "$folder/good" "$newest"
}
offset=$(sed -nE 's|.*"tables/C2/weight": .*"offset": ([0-9]+),.*|\1|p' "$newest/manifest.json")
printf '\245' | dd of="$newest/state.h5" bs=1 seek=$((offset + 9)) conv=notrunc status=none
damaged 'tables/C2/weight is damaged: its checksum is'
printf '\245' | dd of="$newest/state.h5" bs=1 seek=100 conv=notrunc status=none
damaged 'state.h5 is damaged outside its datasets'
head -c 3000 "$folder/good/state.h5" >"$newest/state.h5"
damaged 'state.h5 has 3000 bytes, and manifest.json says'
sed -i 's/"version": 1,/"version": 99,/' "$newest/manifest.json"
damaged 'this checkpoint has format version 99; this program reads up to 1' newer
finish
