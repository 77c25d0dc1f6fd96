// SPDX-License-Identifier: Apache-2.0
// A deck with tables that grow, one with zeros and one, not the first, with start values for ids without a row.
#pragma once

#include <string>

#include "trained.hpp"

namespace tesserec {

/// Returns the deck of a run in a folder whose tables evict rows at each step, and whose evaluation data have ids
/// without a row. `seed`: run.seed. `dim`: numbers of a row.
inline std::string growing_deck(const Folder& folder, int steps, int seed = 1, int dim = 4) {
  return "[run]\noutput = \"" + folder.path() + "\"\nseed = " + std::to_string(seed) +
         R"(
[data.synthetic]
kind = "planted"
samples = 2000
evaluate_samples = 300
rows = [5000, 700, 3000]
hashed = true
zipf = 0.0
ids_per_bag = 3
dense_features = 3
[train]
batch_size = 64
steps = )" +
         std::to_string(steps) +
         R"(
[optimizer.sparse]
type = "adam"
lr = 0.05
[optimizer.dense]
lr = 0.05
[checkpoint]
delta_seconds = 1e-9
[model]
embedding_dim = )" +
         std::to_string(dim) + "\nbottom = [8, " + std::to_string(dim) + R"(]
top = [8, 1]
[[table]]
name = "C1"
growing = true
rows = 1100
pooling = "mean"
[[table]]
name = "others"
features = ["C2", "C3"]
growing = true
rows = 1300
admit_after = 2
eviction = "lfu"
unknown = "start"
)";
}

}  // namespace tesserec
