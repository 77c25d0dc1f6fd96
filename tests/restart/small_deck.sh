# SPDX-License-Identifier: Apache-2.0
# small_deck.sh FILE, sourced: a small planted deck with every kind of state (adam, row-wise Adagrad), bags of 0 to 3 ids, a
# short last batch and several epochs.
cat >"$1" <<'DECK'
[data.synthetic]
kind = "planted"
samples = 5000
evaluate_samples = 200
rows = [3000, 700, 40, 1]
dense_features = 5
ids_per_bag = 3
variable_bags = true
[model]
embedding_dim = 8
bottom = [32, 8]
top = [32, 1]
[train]
batch_size = 256
lanes = 8
epochs = 30
log_every = 10
[optimizer]
dense = {type = "adam", lr = 0.002}
sparse = {type = "rowwise_adagrad", lr = 0.02}
[schedule]
warmup_steps = 100
[checkpoint]
every_steps = 7
[evaluate]
every_steps = 30
DECK
