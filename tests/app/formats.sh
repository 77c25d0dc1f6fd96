#!/usr/bin/env bash
# model.table_format: any plan, on any ranks, by either kernels and on disk, gives the digests of one rank. A checkpoint is
# resumed to the bit, read into tables of another format, evaluated and scored. Where a format is refused, one message
# says so.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_samples.sh"
planted_deck "$folder/planted.toml"
digests() { grep -oE '"(weights|state)_digest": "[0-9a-f]*"' "$folder/out" | tr '\n' ' '; }
small=(--set 'data.synthetic.rows=[900, 2000, 400]' --set train.batch_size=128 --set train.epochs=3
  --set train.steps=8
  --set model.embedding_dim=8 --set 'model.bottom=[9, 8]')
train() { # KEYS...
  rm -rf "$folder/run"
  must_succeed state_digest train "$folder/planted.toml" --json "${small[@]}" "$@"
}
same_as() { # DIGESTS WHAT...
  local expected=$1
  shift
  [ "$(digests)" = "$expected" ] || complain "$*: $(digests), expected $expected"
}
RANKS=1
train
fp32=$(digests)
for of in "bf16 rowwise_adagrad" "fp16 adam"; do
  set=(--set "model.table_format=${of% *}" --set "optimizer.sparse.type=${of#* }")
  RANKS=1
  train "${set[@]}"
  expected=$(digests)
  [ "$expected" != "$fp32" ] || complain "$of is fp32"
  for case in "2 row_wise" "3 column_wise" "4 data_parallel" "2 auto"; do
    RANKS=${case% *}
    train "${set[@]}" --set "plan.default=${case#* }" --set plan.tables.C2.min_partition=4
    same_as "$expected" "$of, $case"
  done
  RANKS=2
  train "${set[@]}" --set run.kernels=portable
  same_as "$expected" "$of, portable kernels"
  train "${set[@]}" --set plan.kernel=disk --set plan.cache=0.6
  same_as "$expected" "$of, on disk"
done

# Restart to the bit, on other ranks.
set=(--set model.table_format=bf16)
RANKS=1
train "${set[@]}"
expected=$(digests)
train "${set[@]}" --set train.steps=5 --set checkpoint.keep=2
RANKS=3
must_succeed '"steps": 8' train "$folder/planted.toml" --json "${small[@]}" "${set[@]}" --set checkpoint.resume=auto
same_as "$expected" 'resumed'
RANKS=2
must_succeed '"auc"' evaluate "$folder/planted.toml" --json "${small[@]}" "${set[@]}"
must_succeed '"samples": 100' predict "$folder/planted.toml" --json "${small[@]}" "${set[@]}"

# Another format needs permission. fp32 numbers of a checkpoint are rounded, which the log says; bf16 numbers fit fp32.
resume=(--set checkpoint.resume=auto --set train.steps=10)
must_fail 'model.table_format = "bf16", but this deck has "fp32"' train "$folder/planted.toml" "${small[@]}" "${resume[@]}"
accept=(--set 'checkpoint.accept=["model.table_format"]')
must_succeed '"steps": 10' train "$folder/planted.toml" --json "${small[@]}" "${resume[@]}" "${accept[@]}"
! grep -q 'rounded to nearest' "$folder/err" || complain 'bf16 numbers are rounded in fp32'
resume=(--set checkpoint.resume=auto --set train.steps=12)
must_succeed '"steps": 12' train "$folder/planted.toml" --json "${small[@]}" "${resume[@]}" "${accept[@]}" "${set[@]}"
grep -qE 'table C1: [0-9]+ weights of 7200 in .* rounded to nearest, because the table has format bf16' "$folder/err" ||
  complain 'no word of rounded weights'

# One table of its own format; half of the bytes of its weights.
tables=$'[[table]]\nname = "C1"\nrows = 1000\nformat = "fp16"\n[[table]]\nname = "C2"\nrows = 1000\n[[table]]\nname = "C3"\nrows = 1\n'
printf '%s' "$tables" | cat "$folder/planted.toml" - >"$folder/tables.toml"
RANKS=1
must_succeed 'table C1: 1000 rows x 4 columns of fp16, 11.72 KiB, kernel fused' check "$folder/tables.toml"
must_succeed 'table C2: 1000 rows x 4 columns, 19.53 KiB, kernel fused' check "$folder/tables.toml"
RANKS=2
must_fail 'table C1: kernel "dense" updates all rows, which format "fp16" (table.C1.format or model.table_format) would round' \
  train "$folder/tables.toml" --set plan.kernel=dense --set optimizer.dense.type=sgd
must_fail 'model.table_format' check "$folder/planted.toml" --set model.table_format=int8
finish
