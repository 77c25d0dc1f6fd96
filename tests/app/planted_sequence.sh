#!/usr/bin/env bash
# A planted sequence: a model with the items before gains over the same one without them, and the order of the items
# counts. No model is better than the truth.
. "$(dirname "$0")/lib.sh"

common=$(cat <<'DECK'
[data.synthetic]
kind = "planted"
samples = 60_000
evaluate_samples = 20_000
rows = [200, 200, 50]        # item, items before, context
bag_lengths = [1, 12, 1]
dense_features = 2
zipf = 0.5
strength = 2.0
sequence = ["C1", "C2"]
sequence_strength = 4.0
[train]
batch_size = 256
lanes = 4
epochs = 3
[optimizer]
dense = {type = "adam", lr = 0.003}
sparse = {type = "adagrad", lr = 0.1}
[[table]]
name = "context"
features = "C3"
[model]
embedding_dim = 8
DECK
)
# train NAME: trains the deck of standard input and sets $NAME to its AUC, $best to that of the truth.
train() {
  { echo "$common" && cat; } >"$folder/$1.toml"
  run "$TESSEREC" train "$folder/$1.toml" --set "run.output=\"$folder/$1\"" --json
  [ "$code" = 0 ] || complain "no training of $1"
  printf -v "$1" %s "$(value auc)"
  best=$(value best_auc)
}
value() { grep -o "\"$1\": *[0-9.]*" "$folder/out" | grep -o '[0-9.]*$' | tail -n 1; }
# beats MORE LESS MARGIN TEXT: complains unless the first number is larger than the second by the margin.
beats() {
  awk -v a="$1" -v b="$2" -v m="$3" 'BEGIN { exit !(b > 0.5 && a > b + m) }' || complain "$4: $1 is not $3 above $2"
}

train without <<'DECK'
type = "network"
[[model.layer]]
name = "all"
type = "cat"
inputs = ["dense", "pooled.C1", "pooled.C3"]
[[model.layer]]
name = "top"
type = "mlp"
inputs = ["all"]
widths = [32, 16, 1]
[[table]]
name = "item"
features = "C1"
DECK
train din <<'DECK'
type = "din"
item = "pooled.C1"
history = "unpooled.C2"
attention = [16]
top = [32, 16, 1]
[[table]]
name = "item"
features = ["C1", "C2"]
unpooled = "C2"
DECK
train unordered <<'DECK'
type = "network"
[[model.layer]]
name = "match"
type = "multiply"
inputs = ["pooled.C1", "pooled.C2"]
[[model.layer]]
name = "all"
type = "cat"
inputs = ["dense", "pooled.C1", "pooled.C3", "pooled.C2", "match"]
[[model.layer]]
name = "top"
type = "mlp"
inputs = ["all"]
widths = [32, 16, 1]
[[table]]
name = "item"
features = ["C1", "C2"]
DECK
train ordered <<'DECK'
type = "network"
[[model.layer]]
name = "before"
type = "weighted_sum"
inputs = ["unpooled.C2"]
positions = 12
[[model.layer]]
name = "match"
type = "multiply"
inputs = ["pooled.C1", "before"]
[[model.layer]]
name = "all"
type = "cat"
inputs = ["dense", "pooled.C1", "pooled.C3", "before", "match"]
[[model.layer]]
name = "top"
type = "mlp"
inputs = ["all"]
widths = [32, 16, 1]
[[table]]
name = "item"
features = ["C1", "C2"]
unpooled = "C2"
DECK
echo "AUC without the items before $without, din $din, with all alike $unordered, with weights by place $ordered, truth $best"
beats "$din" "$without" 0.03 'attention gains nothing'
beats "$ordered" "$unordered" 0.02 'the order of the items gains nothing'
beats "$best" "$ordered" 0 'the truth is not the best'
finish
