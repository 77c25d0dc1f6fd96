// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tesserec::test {

/// A valid deck that uses every kind of block; tests of bad decks depend on its line numbers.
inline const std::string full_deck = R"(# a comment
[run]
name = "full"
seed = 7

[data.synthetic]
kind = "planted"
samples = 1000
rows = [10, 20, 30]
zipf = 1

[preprocess]
train = ["raw/*.csv", 'more.csv']
format = "table"
output = "out"
delimiter = "\t"
missing = ["", "?", "\u0001"]
[[preprocess.column]]
name = "age"
kind = "number"
transform = "standardise"
[[preprocess.column]]
name = "job"
kind = "category"
[[preprocess.column]]
name = "income"
kind = "label"
positive = [">50K", ">50K."]
negative = "<=50K"

[model]
embedding_dim = 8
bottom = [16, 8]
top = [32,
       1]
loss = "wbce"
loss_weights = [1, 2.5]

[[table]]
name = "first"
rows = 3000000000
features = ["a", "b"]
pooling = "mean"
optimizer = {type = "rowwise_adagrad", eps = 1e-6}
[[table]]
name = "second.x"

[train]
batch_size = 64
lanes = 8

[optimizer]
dense = {type = "adam", lr = 1e-3}
sparse = {type = "adagrad", lr = 0.05, initial_accumulator = 0.1}

[schedule]
warmup_steps = 10
decay_start_step = 10
decay_steps = 5

[plan]
default = "row_wise"
tables.first = {sharding = "table_wise", ranks = [1]}
tables."second.x" = {kernel = "dense"}

[checkpoint]
every_steps = 100
resume = "never"

[evaluate]
metrics = ["auc", "ne"]
)";

}  // namespace tesserec::test
