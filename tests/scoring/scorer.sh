#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scorer.sh SCORER: a program of libraries that need no MPI gives the bytes of `tesserec predict` on $RANKS ranks, holds
# no optimizer states, and refuses a damaged checkpoint.
. "$(dirname "$0")/../app/lib.sh"
scorer=$1 code=0
: >"$folder/out" >"$folder/err"
if needed=$(ldd "$scorer" | grep -E 'libmpi|libopen-|libpmix'); then complain "the scorer needs $needed"; fi

deck=$folder/deck.toml
sed "s|@|$folder|" >"$deck" <<'DECK'
[run]
output = "@/run"
part_bytes = 16000000
[preprocess]
format = "table"
header = true
train = ["@/day.csv"]
output = "@/data"
column = [
  {name = "c*", kind = "category"},
  {name = "price", kind = "number", transform = "standardise"},
  {name = "y", kind = "label", positive = ["1"], negative = ["0"]},
]
[data]
train = ["@/data/train.h5"]
predict = ["@/data/train.h5"]
[optimizer.sparse]
type = "adam"
lr = 0.01
[model]
embedding_dim = 16
bottom = [8, 16]
top = [8, 1]
[[table]]
name = "c1"
rows = 500000
[[table]]
name = "c2"
[train]
batch_size = 64
lanes = 4
DECK
awk 'BEGIN { print "y,c1,c2,price"
  for (i = 0; i < 1000; ++i) print (i % 3 == 0) "," i * 7 % 111 "," i % 5 "," i % 13 }' >"$folder/day.csv"
RANKS=1 must_succeed '"rows": 1000' preprocess "$deck" --json
must_succeed '"steps"' train "$deck" --json
must_succeed '"samples": 1000' predict "$deck" --format csv --json
checkpoint=$(echo "$folder"/run/checkpoints/step_*)

"$scorer" "$checkpoint" "$folder/data/train.h5" 300 >"$folder/out" 2>"$folder/err" || complain 'the scorer ended with an error'
cmp <(sed 1d "$folder/run/scores.csv") "$folder/out" || complain 'other scores'
# Weights are 32 MB; with the states of adam they would be 96.
resident=$(sed -nE 's/.*, ([0-9]+) bytes resident at most$/\1/p' "$folder/err")
[ "${resident:-0}" -gt 32000000 ] && [ "$resident" -lt 90000000 ] || complain "$resident bytes resident"

part=$(find "$checkpoint" -name '*.h5' | sort | tail -n 1)
printf 'x' | dd of="$part" bs=1 seek=50000 conv=notrunc 2>/dev/null
"$scorer" "$checkpoint" "$folder/data/train.h5" >"$folder/out" 2>"$folder/err"
code=$?
[ "$code" = 2 ] && grep -qE "^scorer: .*$(basename "$part") is damaged" "$folder/err" || complain 'damage passes'
finish
