#!/usr/bin/env bash
# table.growing: a table whose rows appear while training has one digest on any ranks and by any plan, with and without
# look-ahead, while rows are evicted. A run that restarts on other ranks ends as one that did not stop. Evaluations give
# no id a row. What cannot be is refused. Kills: tests/restart/kill_test.sh with tiers_deck.
TESSEREC=${TESSEREC:-$(dirname "$0")/../../build/tesserec} LAUNCH=${LAUNCH:-mpirun --allow-run-as-root --oversubscribe -n}
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_samples.sh"

# growing_deck KEYS: writes a deck of two growing tables, C1 with KEYS; C3 grows, too, with other rules.
growing_deck() {
  planted_deck "$folder/growing.toml"
  {
    printf '[[table]]\nname = "C1"\ngrowing = true\nrows = 2048\n%b' "$1"
    printf '[[table]]\nname = "C3"\ngrowing = true\nrows = 1500\nadmit_after = 2\neviction = "lfu"\nunknown = "start"\n'
    printf 'features = ["C2", "C3"]\npooling = "mean"\n'
  } >>"$folder/growing.toml"
}
large=(--set 'data.synthetic.rows=[9000, 20000, 4000]' --set data.synthetic.samples=12000 --set data.synthetic.hashed=true
  --set data.synthetic.zipf=0.8 --set data.synthetic.ids_per_bag=3 --set data.synthetic.variable_bags=true
  --set train.batch_size=256 --set train.lanes=8 --set train.steps=24 --set model.embedding_dim=16
  --set 'model.bottom=[8, 16]')
train() { # KEYS...
  must_succeed state_digest train "$folder/growing.toml" --json "${large[@]}" "$@"
}
digests() { grep -oE '"(weights|state)_digest": "[0-9a-f]*"' "$folder/out" | tr '\n' ' '; }
must_match() { [ "$(digests)" = "$expected" ] || complain "$*: $(digests), expected $expected"; }
on_one_rank() {
  of_run=(--set "optimizer.sparse.type=$1" "${@:2}")
  rm -rf "$folder/run"
  RANKS=1 train "${of_run[@]}" --set run.overwrite=true --set checkpoint.keep=0 --set train.pipeline=false
  expected=$(digests)
}
# must_match_one_rank RANKS PLAN KEYS...
must_match_one_rank() {
  RANKS=$1 train "${of_run[@]}" --set run.overwrite=true --set checkpoint.keep=0 --set "plan.default=$2" "${@:3}"
  must_match "${of_run[*]}, $*"
}
declare -A rules=([lru]='' [lfu]='eviction = "lfu"\nadmit_after = 2\n' [ttl]='eviction = "ttl"\nttl = 3\n'
  [none]='eviction = "none"\nunknown = "start"\n')

# The other plans and optimizers: tests/train/growing_plans_test.cpp. "none" comes last, for the lines that follow.
for case in 'lru sgd 2 row_wise true' 'lfu rowwise_adagrad 3 column_wise false' 'ttl adam 4 auto true' \
  'none adagrad 2 grid true'; do
  read -r rule optimizer ranks plan ahead <<<"$case"
  growing_deck "${rules[$rule]}"
  on_one_rank "$optimizer"
  must_match_one_rank "$ranks" "$plan" --set "train.pipeline=$ahead"
done
grep -q '"growing_C1_refused": [1-9]' "$folder/run/metrics.jsonl" || complain "metrics.jsonl has no refused ids"
[ "$(grep -c 'warning: table C1: row blocks were full, so ids got no row [0-9]* times' "$folder/err")" = 1 ] ||
  complain "not one warning on two ranks"
grep -q 'growing tables: C1 [0-9]* of 2048 rows ([1-9][0-9]* admitted, .*, C3 ' "$folder/err" || complain "no last line"
grep -q '"growing": {"capacity": 1500, "rows": [1-9][0-9]*, .*"evicted": [1-9]' "$folder/out" || complain "nothing in the result"
must_succeed '' report "$folder/run" --output "$folder/report.html" --json
grep -q '<h3>Growing tables</h3>' "$folder/report.html" || complain "the report does not show the tables"

# Evaluations and checkpoints in the middle change nothing, micro-batches have one digest, too, and a run that stops and
# goes on by another plan ends as one that did not: also where the next batch is on its way at a checkpoint.
growing_deck "${rules[lfu]}"
on_one_rank adagrad --set train.accumulate=2 --set optimizer.max_norm=0.5 --set train.steps=20
expected_state=$expected
for pipeline in true false; do
  rm -rf "$folder/run"
  RANKS=3 train "${of_run[@]}" --set train.steps=7 --set plan.default=row_wise --set train.pipeline=$pipeline \
    --set evaluate.every_steps=2 --set checkpoint.every_steps=3
  RANKS=2 train "${of_run[@]}" --set train.steps=12 --set plan.default=column_wise --set evaluate.every_steps=1
  RANKS=1 train "${of_run[@]}" --set table.C1.rows=2048
  expected=$expected_state
  must_match "three starts, pipeline $pipeline"
done
must_succeed '"auc"' evaluate "$folder/growing.toml" --json "${large[@]}" "${of_run[@]}"
RANKS=3 must_succeed '"auc"' evaluate "$folder/growing.toml" --json "${large[@]}" "${of_run[@]}" --set plan.default=row_wise
must_succeed '"C1": {"rows": 1' verify "$folder/run/checkpoints/step_000000020" --json
# Another capacity: larger goes on, and is named; smaller is refused if a block has too many ids.
RANKS=2 must_succeed state_digest train "$folder/growing.toml" --json "${large[@]}" "${of_run[@]}" --set train.steps=21 \
  --set table.C1.rows=5000
grep -q 'table.C1.rows, the capacity of a growing table, is 5000, but was 2048' "$folder/err" || complain "no line"
RANKS=2 must_fail 'set table.C1.rows higher, at least to its number when the state was saved' train "$folder/growing.toml" \
  "${large[@]}" "${of_run[@]}" --set train.steps=22 --set table.C1.rows=1024
resume=("$folder/growing.toml" "${large[@]}" "${of_run[@]}" --set table.C1.rows=5000 --set train.steps=22)
must_fail 'set train.accumulate back' train "${resume[@]}" --set train.accumulate=1 --set train.batch_size=512
must_fail 'table.C1.eviction = "lfu", but this deck has "lru"' train "${resume[@]}" --set table.C1.eviction=lru

# A table of another kind begins anew, if that is accepted.
growing_deck ''
plain=("${of_run[@]}" --set data.synthetic.hashed=false --set table.C1.rows=9000 --set table.C3.rows=24000)
rm -rf "$folder/run"
RANKS=2 train "${plain[@]}" --set train.steps=3
resume=("$folder/growing.toml" "${large[@]}" "${plain[@]}" --set train.steps=4 --set table.C1.growing=false)
must_fail 'table.C1.growing = true, but this deck has false' train "${resume[@]}"
must_succeed state_digest train --json "${resume[@]}" --set 'checkpoint.accept=["table"]'
grep -q 'no fitting values of these matrices, .*tables/C1/weight (' "$folder/err" || complain "no line about the matrices"

# What cannot be.
bad() { # MESSAGE KEYS...
  growing_deck "$2"
  rm -rf "$folder/run"
  must_fail "$1" train "$folder/growing.toml" "${large[@]}" "${@:3}"
}
bad 'table.C1.ttl applies only to eviction = "ttl"; set table.C1.eviction = "ttl"' 'ttl = 3\n'
bad 'table.C1.eviction is "ttl", but the steps after which a row leaves are missing; set table.C1.ttl' 'eviction = "ttl"\n'
bad 'table.C1.admit_after must be an integer, 1 to 2^53, but is the integer 0' 'admit_after = 0\n'
bad 'table.C1.qr_collisions is 4, but a growing table is not cut in two' 'qr_collisions = 4\n'
bad 'table.C1.format is "bf16", but a growing table has format "fp32"' 'format = "bf16"\n'
bad 'table C1: it grows, and has format "fp16"' '' --set model.table_format=fp16
bad 'table.C1.rows is 0, but the rows of a growing table are its capacity' '' --set table.C1.rows=0
bad 'table.C1.rows is 1000, but a growing table has 1024 row blocks' '' --set table.C1.rows=1000
bad 'table.C1.admit_after applies only to growing tables' 'admit_after = 2\n' --set table.C1.growing=false
bad 'ids of feature C1 in planted model are any 64-bit numbers, so the table must grow' '' --set table.C1.growing=false
bad 'table C1 grows, so its rows lie in the host' '' --set run.kernels=portable
bad 'table C1 grows, so it cannot have kernel "disk"' '' --set plan.kernel=disk
bad 'table C1 grows, so it cannot have kernel "dense"' '' --set plan.tables.C1.kernel=dense
must_fail 'grows, so its rows lie in memory that GPUs cannot read' plan "$folder/growing.toml" "${large[@]}" --device cuda
RANKS=2 bad 'the table grows, so it cannot be data_parallel' '' --set plan.tables.C1.sharding=data_parallel
RANKS=2 bad 'table C1 grows, so it cannot be in 2 replica groups' '' --set plan.replicas=2
# Ids without a row that read start values read those of the run's seed.
awk 'BEGIN { print "click,item,x"; for (i = 0; i < 400; ++i) print (i * 7 % 5 == 0) "," i * i % 97 "," i % 7 }' >"$folder/rows.csv"
cat >"$folder/rows.toml" <<END
[run]
output = "$folder/rows"
[preprocess]
format = "table"
header = true
train = ["$folder/rows.csv"]
output = "$folder/rows_data"
column = [{name = "click", kind = "label", positive = ["1"], negative = ["0"]}, {name = "item", kind = "category", ids = "hashed"},
  {name = "x", kind = "number"}]
[data]
train = ["$folder/rows_data/train.h5"]
evaluate = ["$folder/rows_data/train.h5"]
[model]
embedding_dim = 4
bottom = [4]
top = [4, 1]
[train]
batch_size = 64
lanes = 4
[[table]]
name = "item"
growing = true
rows = 1024
admit_after = 9
unknown = "start"
END
must_succeed '"rows": 400' preprocess "$folder/rows.toml" --json
must_succeed '"steps"' train "$folder/rows.toml" --json
must_succeed '"auc"' evaluate "$folder/rows.toml" --json
must_fail 'run.seed = 1, but this deck has 7' evaluate "$folder/rows.toml" --set run.seed=7
must_succeed '"auc"' evaluate "$folder/rows.toml" --json --set run.seed=7 --set 'checkpoint.accept=["run.seed"]'
finish
