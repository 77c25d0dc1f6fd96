#!/usr/bin/env bash
# plan.kernel = "disk": caches of any size, on any ranks and by any plan, give the digests of rows in memory, also after
# restarts with other caches. A cache too small for two batches and a folder that cannot be used are refused.
#   tests/app/disk.sh         three plans and optimizers, restarts, refusals
#   tests/app/disk.sh long    a table of four times the memory that the process may have
# Kills: tests/restart/kill_test.sh with tiers_deck.
TESSEREC=${TESSEREC:-$(dirname "$0")/../../build/tesserec} LAUNCH=${LAUNCH:-mpirun --allow-run-as-root --oversubscribe -n}
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_samples.sh"
planted_deck "$folder/planted.toml"
digests() { grep -oE '"(weights|state)_digest": "[0-9a-f]*"' "$folder/out" | tr '\n' ' '; }
large=(--set 'data.synthetic.rows=[9000, 20000, 4000]' --set data.synthetic.samples=12000 --set train.batch_size=512
  --set train.steps=22 --set data.synthetic.zipf=0 --set model.embedding_dim=256 --set 'model.bottom=[8, 256]')
train() { # KEYS...
  must_succeed state_digest train "$folder/planted.toml" --json "${large[@]}" "$@"
}
must_match() { [ "$(digests)" = "$expected" ] || complain "$*: $(digests), in memory $expected"; }

# must_match_memory OPTIMIZER PLAN CACHE RANKS KEYS...: trains on the disk and compares.
must_match_memory() {
  local what="$1, $2, cache $3, $4 ranks"
  RANKS=$4 train "${of_run[@]}" --set run.overwrite=true --set "plan.default=$2" --set plan.kernel=disk \
    --set "plan.cache=$3" "${@:5}"
  must_match "$what"
  grep -q 'rows on disk: .* of caches, \(io_uring\|threads\), ' "$folder/err" || complain "no line about the files"
  grep -qE 'step 22/22 .* cache [0-9]+\.[0-9] %  00:00:00 to go' "$folder/err" || complain "no hit rate in the progress line"
}
in_memory() {
  of_run=(--set "optimizer.sparse.type=$1" --set checkpoint.keep=0)
  RANKS=1 train "${of_run[@]}" --set run.overwrite=true
  expected=$(digests)
}
if [ "${1:-short}" = long ]; then
  # 2.26 GB of rows, of which two batches have a thousand; the limit is one of addresses.
  RANKS=1
  beyond=("$folder/planted.toml" --json --set 'data.synthetic.rows=[2200000, 2000, 400]' --set data.synthetic.zipf=0
    --set data.synthetic.samples=60000 --set train.batch_size=512 --set train.steps=40 --set model.embedding_dim=256
    --set 'model.bottom=[8, 256]' --set checkpoint.keep=0 --set run.overwrite=true)
  must_succeed state_digest train "${beyond[@]}"
  expected=$(digests)
  in_memory=$(grep -oE '"samples_per_second": [0-9]+' "$folder/out" | head -n 1)
  ulimit -v 540000
  must_fail 'the tables do not fit' train "${beyond[@]}"
  must_succeed state_digest train "${beyond[@]}" --set plan.kernel=disk --set plan.cache=0.02
  must_match "a table of four times the memory"
  echo "in memory $in_memory, beyond it $(grep -oE '"samples_per_second": [0-9]+' "$folder/out" | head -n 1)"
  finish
fi
# The other plans, optimizers, formats and caches: tests/train/disk_test.cpp.
for case in 'sgd table_wise 0.6 1' 'rowwise_adagrad row_wise 0.2 3' 'adam data_parallel 2e6 2'; do
  read -r optimizer plan cache ranks <<<"$case"
  in_memory "$optimizer"
  must_match_memory "$optimizer" "$plan" "$cache" "$ranks"
  grep -q '"reads": [1-9]' "$folder/out" || complain "$optimizer, $plan: nothing was read"
done
grep -q '"cache_hit_rate": 0\.' "$folder/run/metrics.jsonl" || complain "metrics.jsonl has no hit rate"
RANKS=1 train "${of_run[@]}" --set run.overwrite=true --set plan.kernel=disk --set train.log_every=1 --set train.steps=3
RANKS=2 train "${of_run[@]}" --set run.overwrite=true --set plan.kernel=disk --set plan.default=table_wise --set train.steps=2 \
  --set plan.tables.C3.cache=0.05
[ "$(grep -c 'caches of at least 1024 rows, or all rows, for each shard: C1 1024 rows instead of 900 (plan.cache = 0.1), C3 1024 rows instead of 200 (plan.tables.C3.cache = 0.05)$' "$folder/err")" = 1 ] ||
  complain "an enlarged cache is not told once"
RANKS=1 train "${of_run[@]}" --set run.overwrite=true --set plan.kernel=disk --set plan.cache=0.3 --set train.steps=2
! grep -q 'caches of at least' "$folder/err" || complain "caches that are large enough are told as enlarged"
! grep -qE 'nan|null' "$folder/run/metrics.jsonl" || complain "metrics.jsonl has no number for the last step, which pins no rows"

# Micro-batches and a bound of the gradients' norm, with one table in memory; then restarts with other caches and ranks.
of_run=(--set optimizer.max_norm=0.5 --set train.accumulate=2 --set train.lanes=8)
rm -rf "$folder/run"
RANKS=1 train "${of_run[@]}" --set train.steps=11 --set checkpoint.keep=0 --set plan.cache=0.5
grep -q '^warning: --set [0-9]*: plan.cache does nothing, because all tables lie whole in memory; remove it, or set plan.kernel' "$folder/err" || complain "no warning of an unread key"
expected=$(digests)
rm -rf "$folder/run"
RANKS=3 train "${of_run[@]}" --set plan.kernel=disk --set plan.tables.C2.kernel=fused --set train.steps=4
RANKS=2 train "${of_run[@]}" --set plan.kernel=disk --set plan.cache=0.4 --set plan.default=row_wise --set train.steps=8
RANKS=1 train "${of_run[@]}" --set train.steps=11
must_match "three starts"

# What cannot be: two batches that do not fit into the cache, a folder that is a file, a disk without room.
rm -rf "$folder/run"
one_batch=(--set 'data.synthetic.rows=[90000, 20000, 4000]' --set data.synthetic.samples=12000 --set train.batch_size=4096)
must_fail '.cache or plan.cache, train.batch_size)' train \
  "$folder/planted.toml" "${one_batch[@]}" --set plan.kernel=disk --set plan.cache=0
RANKS=3 must_fail 'set a larger cache or a smaller batch' train "$folder/planted.toml" "${one_batch[@]}" \
  --set plan.kernel=disk --set plan.cache=0 --set plan.default=row_wise
for cache in 0 0.5; do
  RANKS=1 must_succeed 'predicted step' plan "$folder/planted.toml" "${one_batch[@]}" --set plan.kernel=disk --set plan.cache=$cache
  [ "$(grep -c '^warning: table C[1-3]: the rows of two batches, about .* do not fit into its cache of 1024 rows' "$folder/err")" = \
    "$([ $cache = 0 ] && echo 3 || echo 0)" ] || complain "plan warns of a cache of $cache"
done
long_rows=(--set model.embedding_dim=8192 --set 'model.bottom=[8, 8192]' --set plan.kernel=disk --set optimizer.sparse.type=adam)
for command in plan train; do
  must_fail ': a row with its optimizer state has 96.00 KiB, but kernel "disk" has rows of at most 64.00 KiB' $command \
    "$folder/planted.toml" "${long_rows[@]}"
done
must_fail "--set 2: plan.disk_folder: $folder/planted.toml: cannot make this folder" train "$folder/planted.toml" --set plan.kernel=disk \
  --set "plan.disk_folder=$folder/planted.toml"
must_fail 'plan.cache' train "$folder/planted.toml" --set plan.kernel=disk --set plan.cache=-1

# A missing parent may be the place of a disk that is not mounted. Only the last folder is made, with a warning.
for RANKS in 1 2; do
  must_fail "--set 2: plan.disk_folder: $folder/nvme/rows: its parent folder $folder/nvme does not exist" train "$folder/planted.toml" \
    --set plan.kernel=disk --set "plan.disk_folder=$folder/nvme/rows"
  [ ! -e "$folder/nvme" ] || complain "a missing parent of plan.disk_folder is made"
done
mkdir "$folder/nvme"
for times in 1 0; do
  RANKS=2 train --set plan.kernel=disk --set "plan.disk_folder=$folder/nvme/rows/" --set plan.default=row_wise \
    --set run.overwrite=true --set checkpoint.resume=never --set train.steps=2
  [ "$(grep -c "^warning: plan.disk_folder: $folder/nvme/rows/ did not exist and was made; if a disk should be mounted" "$folder/err")" = $times ] ||
    complain "the making of plan.disk_folder is not told $times times"
done
RANKS=1 train --set plan.kernel=disk --set "run.output=$folder/deep/in/runs" --set train.steps=2
! grep -q 'did not exist' "$folder/err" || complain "the run's folder is told as plan.disk_folder"
finish
