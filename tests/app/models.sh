#!/usr/bin/env bash
# Every model that `describe` names, with its losses, optimizers and layers that draw numbers. The digests of $RANKS
# ranks equal those of one rank, also by portable kernels under another plan and layer by layer. OPTIMIZERS=all: each
# model by each optimizer, for tests/matrix.sh. THREADS="2 3": also on so many threads per rank, for a program over
# Kokkos' OpenMP.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_samples.sh"
planted_deck "$folder/planted.toml"
some=$RANKS
first=C1 # of the tables
deck_of() { # KEYS OF [model]...
  sed '/^bottom/d; /^top/d' "$folder/planted.toml" >"$folder/deck.toml"
  local key
  for key in "$@"; do sed -i "s|^embedding_dim = 4|&\n$key|" "$folder/deck.toml"; done
}
digests() { grep -oE '"(weights|state)_digest": "[0-9a-f]*"' "$folder/out" | tr '\n' ' '; }
trains() { # RANKS DECK ARGS...: trains and sets $got to the digests
  RANKS=$1
  rm -rf "$folder/run"
  must_succeed state_digest train "$2" --json --set train.steps=6 --set run.kernels=simd "${@:3}"
  RANKS=$some
  got=$(digests)
}
same() { # ARGS...: of deck.toml
  trains 1 "$folder/deck.toml" "$@"
  local expected=$got
  trains "$some" "$folder/deck.toml" "$@"
  [ "$got" = "$expected" ] || complain "$some ranks: $got, one: $expected: $(cat "$folder/deck.toml")"
  trains "$some" "$folder/deck.toml" "$@" --set plan.default=row_wise --set "plan.tables.$first.sharding=column_wise" --set "plan.tables.$first.min_partition=1" --set run.kernels=portable --set run.share_gpus=true
  [ "$got" = "$expected" ] || complain "by rows and columns, portable kernels: $got, before: $expected: $(cat "$folder/deck.toml")"
  local threads
  for threads in ${THREADS:-}; do
    OMP_NUM_THREADS=$threads trains "$some" "$folder/deck.toml" "$@"
    grep -qE "\"backend\": *\"OpenMP, $threads thread" "$folder/out" || complain "not on $threads threads: $(cat "$folder/out")"
    [ "$got" = "$expected" ] || complain "$threads threads: $got, one: $expected: $(cat "$folder/deck.toml")"
  done
  must_succeed 'type = "network"' check "$folder/deck.toml" --network "$@"
  mv "$folder/out" "$folder/layers.toml"
  trains "$some" "$folder/layers.toml"
  [ "$got" = "$expected" ] || complain "layer by layer: $got, before: $expected: $(cat "$folder/deck.toml")"
}

mlps=('bottom = [8, 4]' 'top = [8, 1]')
towers=('type = "two_tower"' 'item = "pooled.C2"' 'towers = [8, 3]')
"$TESSEREC" describe >"$folder/describe"
types_of() { # BLOCK
  sed -n "/^\[$1\]/,/^ *type: /s/^ *type: choice, \(.*\); default.*/\1/p" "$folder/describe" | tr -d '|'
}
types=$(types_of model)
[ "$(wc -w <<<"$types")" -ge 7 ] || complain "describe names few models: $types"
for type in $types; do
  case $type in
    dlrm) deck_of "${mlps[@]}" ;;
    dlrm_projection) deck_of "type = \"$type\"" "${mlps[@]}" 'branch1 = [8, 12]' 'branch2 = [4]' 'activation = "swish"' ;;
    dlrm_dcn) deck_of "type = \"$type\"" "${mlps[@]}" 'cross = "mixture"' 'cross_rank = 3' 'cross_experts = 2' ;;
    deepfm) deck_of "type = \"$type\"" "${mlps[@]}" 'deep = [6]' 'activation = "gelu"' ;;
    wide_deep) deck_of "type = \"$type\"" 'wide = ["dense", "pooled.C3"]' 'deep = [8]' 'activation = "tanh"' ;;
    two_tower) deck_of "${towers[@]}" 'loss = "in_batch_softmax"' 'loss_temperature = 0.5' ;;
    din)
      deck_of "type = \"$type\"" 'item = "pooled.C2"' 'history = "unpooled.C1"' 'attention = [5, 3]' 'top = [8, 1]'
      sed -i 's/^dense_features = 5/&\nbag_lengths = [6, 1, 1]\nvariable_bags = true/' "$folder/deck.toml"
      printf '%s\n' '[[table]]' 'name = "C1"' 'features = ["C1", "C2"]' 'unpooled = "C1"' '[[table]]' 'name = "C3"' >>"$folder/deck.toml"
      must_succeed 'kernel fused, un-pooled C1' check "$folder/deck.toml"
      ;;
    network) continue ;; # all of them, layer by layer
    *) complain "no recipe for model $type; add one to $0" ;;
  esac
  [ "${OPTIMIZERS:-}" = all ] || { same; continue; }
  read -ra dense <<<"$(types_of optimizer.dense)"
  number=0
  for sparse in $(types_of optimizer.sparse); do
    same --set optimizer.sparse.type="$sparse" --set optimizer.dense.type="${dense[number++ % ${#dense[@]}]}"
  done
  echo "$type: $number optimizers on $some ranks"
done
[ "${OPTIMIZERS:-}" != all ] || finish
deck_of 'type = "dlrm_dcn"' "${mlps[@]}" 'cross = "vector"' 'loss = "wbce"' 'loss_weights = [1, 3]'
same --set optimizer.sparse.type=lamb --set optimizer.dense.type=lion --set optimizer.sparse.weight_decay=0.01
for operation in add mult concat; do # C1 and C2 are cut in two, and with sum or product of other dimensions too
  smaller=('qr_collisions = 7' 'qr_threshold = 20' "qr_operation = \"$operation\"")
  [ $operation = concat ] || smaller+=('md_temperature = 0.2' 'md_threshold = 20' 'md_round_dims = true')
  deck_of "${mlps[@]}" "${smaller[@]}"
  first=C1_quotient same
done
deck_of "${towers[@]}"
must_succeed 'type = "network"' check "$folder/deck.toml" --network
sed 's/^inputs = \["query", "item"\]/inputs = ["drop", "item"]/
     s/^name = "score"/name = "norm"\ntype = "layer_norm"\ninputs = "query"\n\n[[model.layer]]\nname = "drop"\ntype = "dropout"\nrate = 0.4\ninputs = "norm"\n\n[[model.layer]]\n&/' \
  "$folder/out" >"$folder/deck.toml"
same

# Data without dense numbers: models by name work without the layers that only read dense numbers.
for row in {1..60}; do echo "$((row % 3 == 0)),a$((row % 5)),b$((row % 7)),c$((row % 2))"; done >"$folder/rows.csv"
cat >"$folder/categories.toml" <<DECK
[preprocess]
format = "table"
delimiter = ","
header = false
minimum_count = 1
train = "$folder/rows.csv"
output = "$folder/categories"
[[preprocess.column]]
name = "clicked"
kind = "label"
positive = "1"
negative = "0"
$(for name in C1 C2 C3; do printf '[[preprocess.column]]\nname = "%s"\nkind = "category"\n' $name; done)
DECK
must_succeed '"rows": 60' preprocess "$folder/categories.toml" --json
numberless() { # KEYS OF [model]...
  deck_of "$@"
  local words=(--set data.synthetic.kind=none --set "data.train=$folder/categories/train.h5" --set train.batch_size=8)
  trains 1 "$folder/deck.toml" "${words[@]}"
  local expected=$got
  trains "$some" "$folder/deck.toml" "${words[@]}"
  [ "$got" = "$expected" ] || complain "without numbers: $got on $some ranks, one: $expected: $*"
  must_succeed 'inputs = ["pooled' check "$folder/deck.toml" --network "${words[@]}"
  ! grep -q '"bottom"\|"dense"' "$folder/out" || complain "a layer reads numbers: $*"
}
numberless "${mlps[@]}"
numberless 'type = "dlrm_projection"' "${mlps[@]}" 'branch1 = [8, 12]' 'branch2 = [4]'
numberless 'type = "dlrm_dcn"' "${mlps[@]}"
numberless 'type = "deepfm"' "${mlps[@]}" 'deep = [6]'
numberless 'type = "wide_deep"' 'wide = ["pooled.C3"]' 'deep = [8]'

# Items that have no other item to compare with.
deck_of "${towers[@]}" 'loss = "in_batch_softmax"'
RANKS=1 must_fail 'gives a step 4 samples in 4 lanes, at most one in each, so in_batch_softmax has no other item' \
  train "$folder/deck.toml" --set train.batch_size=4 --set train.lanes=4
RANKS=1 must_fail 'gives a step 1 sample in 1 lane, at most one in each' train "$folder/deck.toml" --set train.batch_size=1 --set train.lanes=1

# Samples that all weigh 0: nothing is defined, nor is the base rate.
sed 's/$/,0/' "$folder/rows.csv" >"$folder/weightless.csv"
{
  sed "s|$folder/categories|$folder/weightless|; s|/rows.csv|/weightless.csv|" "$folder/categories.toml"
  printf '[[preprocess.column]]\nname = "w"\nkind = "weight"\n'
} >"$folder/weightless.toml"
must_succeed '"rows": 60' preprocess "$folder/weightless.toml" --json
deck_of "${mlps[@]}"
trains 1 "$folder/deck.toml" --set data.synthetic.kind=none --set train.batch_size=8 \
  --set "data.train=$folder/weightless/train.h5" --set "data.evaluate=$folder/weightless/train.h5"
grep -q 'auc undefined, .*, base rate undefined$' "$folder/err" || complain "numbers of samples without weight: $(cat "$folder/err")"
finish
