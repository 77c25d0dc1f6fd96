#!/usr/bin/env bash
# Runs that must not start or continue, on $RANKS (at least 2) ranks: bad sizes, checkpoints, folders and numbers.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_samples.sh"
deck="$folder/deck.toml"
planted_deck "$deck"
newest="$folder/run/checkpoints/step_000000016"

# Metrics of groups need a feature.
must_fail '--set 1: evaluate.metrics has "gauc", which needs groups; set evaluate.group' train "$deck" --set evaluate.metrics=gauc
group="--set evaluate.metrics=gauc --set evaluate.group="
must_fail '--set 2: evaluate.group is "C9", but the data' train "$deck" ${group}C9
for command in check train; do
  must_fail 'evaluate.group is "C1", which has 2.0 ids per sample on average' $command "$deck" ${group}C1 --set data.synthetic.ids_per_bag=2
done
must_fail 'evaluate.group: feature "C1" has no id, or several, in ' train "$deck" ${group}C1 --set data.synthetic.ids_per_bag=2 \
  --set data.synthetic.variable_bags=true --set train.steps=1 --set "run.output=$folder/bags"

# Sizes.
must_fail "train.batch_size = 1 is smaller than the number of ranks, $RANKS" train "$deck" --set train.batch_size=1
must_fail "$RANKS ranks need at least as many lanes, but train.lanes is 1; set train.lanes = " train "$deck" --set train.lanes=1
must_fail "train.lanes is 1 (from train.batch_size); set train.lanes = " train "$deck" --set train.lanes=0

# Neither a plan's file nor the deck may give the dense kernel to an optimizer without it.
printf '[[table]]\nname = "C1"\noptimizer = {type = "rowwise_adagrad"}\n' | cat "$deck" - >"$folder/table.toml"
run "$TESSEREC" plan "$folder/table.toml" --json
sed 's/"kernel": "fused"/"kernel": "dense"/' "$folder/out" >"$folder/plan.json"
for command in train plan check; do
  must_fail 'table C1: kernel "dense" updates all rows, but optimizer "rowwise_adagrad"' $command "$folder/table.toml" --set "plan.file=$folder/plan.json"
done
for command in train plan check; do
  must_fail 'plan.tables.C1.kernel is dense, but' $command "$folder/table.toml" --set plan.tables.C1.kernel=dense
done

# A plan's file must keep the deck's constraints on a table.
run "$TESSEREC" plan "$deck" --json --set plan.default=row_wise
cp "$folder/out" "$folder/plan.json"
must_succeed '"steps": 1' train "$deck" --json --set "plan.file=$folder/plan.json" --set train.steps=1 --set "run.output=$folder/by_rows"
for command in train plan check; do
  must_fail 'plan.json: table C2: the plan is row_wise, but plan.tables.C2.sharding is table_wise' $command "$deck" \
    --set "plan.file=$folder/plan.json" --set plan.tables.C2.sharding=table_wise
  must_fail 'plan.json: table C1: the plan is row_wise, but plan.default is data_parallel' $command "$deck" \
    --set "plan.file=$folder/plan.json" --set plan.default=data_parallel
done

# Folders that cannot be written are found before the first step.
for key in run.output checkpoint.path; do
  must_fail "--set 1: $key: $deck: cannot create this folder: a file has its name" train "$deck" --set "$key=$deck/x"
  ! grep -q '^step ' "$folder/err" || complain "$key: it trained first"
done

# Numbers that are not finite.
must_fail 'step 2: the loss is not a number; lower the learning rate' train "$deck" --set optimizer.dense.lr=1e30
must_fail 'step 2: the ' train "$deck" --set optimizer.sparse.lr=1e30
[ -z "$(ls -A "$folder/run/checkpoints")" ] || complain "a checkpoint after numbers that are not finite"
# Weights that an update took out of range are refused before they are saved.
must_succeed '"steps": 3' train "$deck" --json --set train.steps=3 --set "run.output=$folder/diverged"
must_fail 'the model has diverged; lower the learning rate; this step has no checkpoint, but earlier checkpoints are unchanged' train "$deck" \
  --set "run.output=$folder/diverged" --set checkpoint.accept=optimizer --set optimizer.sparse.lr=1e30 --set checkpoint.every_steps=1 --set checkpoint.keep=1
[ "$(ls "$folder/diverged/checkpoints")" = step_000000003 ] || complain "the good checkpoint does not stand alone"
must_succeed '"whole": true' verify "$folder/diverged/checkpoints/step_000000003" --json
must_fail "$deck:18: run.output: there is no whole checkpoint in" evaluate "$deck"
for command in train evaluate; do
  must_fail "--set 1: checkpoint.resume: $folder/none: there is no such checkpoint folder" $command "$deck" --set "checkpoint.resume=$folder/none"
done
must_fail 'no whole checkpoint in' predict "$deck"

# Checkpoints of another run. One rank is enough: all ranks print the same messages.
some=$RANKS RANKS=1
must_succeed '"steps": 16' train "$deck" --json --set checkpoint.every_steps=6 --set checkpoint.keep=3
must_fail 'no evaluation data; give data.evaluate, or data.synthetic.evaluate_samples' evaluate "$deck" --set data.synthetic.evaluate_samples=0
must_fail 'it has the additional dense feature "I6"; preprocess both with one deck' train "$deck" --set data.synthetic.dense_features=6
# Another task: every key that differs, with both values, unless the deck accepts it; then the state that does not fit.
must_fail 'was made with data.synthetic.rows = [50, 30, 1], but this deck has [51, 30, 1]; set it back, or start weights of other shapes anew, and keep the rows of larger tables, with checkpoint.accept = ["data.synthetic.rows"]' \
  train "$deck" --set data.synthetic.rows.0=51
for change in 'model.loss "bce" "mse"' 'model.interaction "dot" "cat"' 'data.synthetic.zipf 1.05 0.5' \
  'data.synthetic.ids_per_bag 1 2' 'optimizer.dense.lr 0.05 0.5' 'schedule.warmup_steps 0 7'; do
  read -r key before after <<<"$change"
  must_fail "was made with $key = $before, but this deck has $after; set it back" train "$deck" --set "$key=$after"
done
must_fail 'was made with model.loss = "bce", but this deck has "mse"; optimizer.sparse.eps = 1e-08, but this deck has 1e-06; set it back, or allow it with checkpoint.accept = ["model.loss", "optimizer.sparse.eps"]' \
  train "$deck" --set model.loss=mse --set optimizer.sparse.eps=1e-6
must_fail 'was made with table.C1 = no table, but this deck has one' train "$deck" --set data.synthetic.rows.0=50 --set 'table=[{name="C1", pooling="mean"}, {name="C2"}, {name="C3"}]'
must_succeed '"steps": 16' train "$deck" --json --set "run.output=$folder/ordered" --set 'table=[{name="C1"}, {name="C2"}, {name="C3"}]'
for command in train evaluate; do
  must_fail 'was made with [[table]] in the order C1, C2, C3, but this deck has C2, C1, C3; set it back, or allow it with checkpoint.accept = ["table"]' \
    $command "$deck" --set "run.output=$folder/ordered" --set 'table=[{name="C2"}, {name="C1"}, {name="C3"}]'
done
must_fail 'was made with schedule.stages.0 = no stage, but this deck has one' train "$deck" --set 'schedule.stages=[{policy="constant", max_steps=9}]'
must_fail 'checkpoint.accept: "table.lost" is not a key or block' train "$deck" --set 'checkpoint.accept=["table.lost"]'
must_fail 'checkpoint.accept has "model.lost", in which decks cannot differ; known names are model, table,' train "$deck" --set 'checkpoint.accept=["model.lost"]'
must_fail 'was made with model.loss = "bce", but this deck has "mse"' evaluate "$deck" --set model.loss=mse
must_fail 'was made with run.seed = 1, but this deck has 2' evaluate "$deck" --set run.seed=2
must_succeed '"auc"' evaluate "$deck" --json --set optimizer.dense.lr=7 --set data.synthetic.samples=2000
must_succeed '"auc"' evaluate "$deck" --json --set model.loss=mse --set 'checkpoint.accept=["model"]'
must_fail 'was made with model.bottom = [8, 4], but this deck has [9, 4]; set it back, or name a checkpoint of this model' evaluate "$deck" --set model.bottom.0=9
# Keys that contradict each other.
must_fail 'checkpoint.start_from is set, but checkpoint.resume names a checkpoint, too' train "$deck" --set checkpoint.start_from=a --set checkpoint.resume=b
must_fail 'checkpoint.start_states is true, but checkpoint.start_from is empty; name a checkpoint' train "$deck" --set checkpoint.start_states=true
must_fail 'checkpoint.resume is "best", which only evaluate and predict accept' train "$deck" --set checkpoint.resume=best
must_fail 'evaluate.patience needs evaluations during training; set evaluate.every_steps' train "$deck" --set evaluate.patience=2
must_fail 'evaluate.monitor is "ne", which evaluate.metrics lacks; it has auc' \
  train "$deck" --set checkpoint.keep_best=true --set evaluate.monitor=ne --set 'evaluate.metrics=["auc"]'
must_fail 'checkpoint.keep_best is true, but checkpoint.keep = 0 writes no checkpoint' train "$deck" --set checkpoint.keep_best=true --set checkpoint.keep=0
must_fail 'checkpoint.keep_best needs evaluation data' train "$deck" --set checkpoint.keep_best=true --set data.synthetic.evaluate_samples=0
must_fail '/best: there is no best checkpoint; set checkpoint.keep_best in the training run' evaluate "$deck" --set checkpoint.resume=best
# Another optimizer, permitted by accept: its states start from zero, and the omitted states are listed.
must_succeed '"steps": 18' train "$deck" --json --set "checkpoint.resume=$folder/run" --set "run.output=$folder/other" --set train.epochs=2 \
  --set train.steps=18 --set optimizer.sparse.type=sgd --set optimizer.dense.type=adam --set checkpoint.accept=optimizer
grep -q 'has no fitting values of these matrices, which start as in a new run: .*top.1.bias/exp_avg (not there, here 1 x 1)' "$folder/err" || complain 'the log lacks the states that begin anew'
grep -q 'has matrices that this model does not use: .*tables/C1/row_sum' "$folder/err" || complain 'the log lacks the states that are not taken'
# Checkpoints that a run would replace.
must_fail 'would replace; allow it with run.overwrite = true' train "$deck" --set checkpoint.resume=never
must_fail 'would replace; allow it with run.overwrite = true' train "$deck" --set "checkpoint.resume=$folder/run/checkpoints/step_000000012"
[ -f "$newest/manifest.json" ] || complain "the newest checkpoint is gone"
must_fail 'was made with run.seed = 1, but this run has 3' train "$deck" --set run.seed=3
! grep -qE '^(model|plan)' "$folder/err" || complain "tables stand before an error of one line"
must_fail 'there is no such checkpoint folder' train "$deck" --set "checkpoint.resume=$folder/none"
must_succeed '"steps": 16' train "$deck" --json --set "checkpoint.resume=$folder/run/checkpoints/step_000000012" --set run.overwrite=true
must_succeed "\"checkpoint\": \"$newest\"" train "$deck" --json
grep -q '^the run was already finished: step 16 of 16' "$folder/err" || complain "a finished run does not say so"

# Damage to a checkpoint in one file and to one in parts.
RANKS=$some
damaged() {
  must_fail "$1" train "$deck"
  grep -q 'name another checkpoint with checkpoint.resume' "$folder/err" || [ "${2:-}" = newer ] || complain "no advice: $1"
  RANKS=1
  must_fail "$1" evaluate "$deck"
  must_fail "$1" verify "$newest"
  RANKS=$some
  rm -r "$newest"
  cp -r "$folder/good" "$newest"
}
for part_bytes in 0 500; do
  rm -rf "$folder/run" "$folder/good"
  must_succeed '"steps": 16' train "$deck" --json --set run.part_bytes=$part_bytes
  must_succeed '"whole": true' verify "$newest" --json
  cp -r "$newest" "$folder/good"
  files=("$newest/state.h5")
  [ "$part_bytes" = 0 ] || files+=("$newest"/state.*/00000.h5 "$newest"/state.*/00002.h5)
  for file in "${files[@]}"; do
    printf '\245' | dd of="$file" bs=1 seek=1500 conv=notrunc status=none
    damaged "$(basename "$file") is damaged: its checksum is"
    printf '\245' | dd of="$file" bs=1 seek=100 conv=notrunc status=none
    damaged "$(basename "$file") is damaged: the seal in its first 512 bytes cannot be read"
    truncate -s 1000 "$file"
    damaged "$(basename "$file") is damaged: it has 1000 bytes"
  done
done
sed -i 's/"version": 2,/"version": 99,/' "$newest/manifest.json"
damaged 'this checkpoint has format version 99, but this program reads up to 2' newer

# A run whose checkpoints lie in its own folder does not lock itself out.
must_succeed '"steps": 16' train "$deck" --json --set "run.output=$folder/one" --set "checkpoint.path=$folder/./one/" --set run.lock_wait=0

# Scores have checksums too.
must_succeed '"samples": 100' predict "$deck" --json
must_succeed '"whole": true' verify "$folder/run/scores.h5" --json
printf '\245' | dd of="$folder/run/scores.h5" bs=1 seek=1500 conv=notrunc status=none
must_fail 'scores.h5 is damaged: its checksum is' verify "$folder/run/scores.h5"
# Verification of a whole run: its checkpoints, its scores and the files that its record names. One damaged file hides
# no other.
must_fail "1 of 2 files of $folder/run are damaged: $folder/run/scores.h5" verify "$folder/run"
grep -q "$newest is whole" "$folder/err" || complain "the checkpoint is not named"
cp -r "$newest" "$folder/run/checkpoints/step_000000008"
printf '\245' | dd of="$folder/run/checkpoints/step_000000008/state.h5" bs=1 seek=1500 conv=notrunc status=none
must_fail "2 of 3 files of $folder/run are" verify "$folder/run"
rm -r "$folder/run/scores.h5" "$folder/run/checkpoints/step_000000008"
must_succeed '"whole": true, "files": [' verify "$folder/run" --json
# An older program took any name in checkpoint.accept.
sed -i 's/naccept = \[\]/naccept = [\\"train.batch_size\\"]/' "$folder/run/run.json"
grep -q 'naccept = \[."train.batch_size."\]' "$folder/run/run.json" || complain "no accepted name in the record"
must_succeed '"whole": true, "files": [' verify "$folder/run" --json
finish
