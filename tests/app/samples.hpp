// SPDX-License-Identifier: Apache-2.0
/// Small inputs that tests of the commands share.
#pragma once

#include <string>

#include "driver/program.hpp"

namespace tesserec::test {

/// A deck that trains in a second into the folder's run/; four lanes, so up to four ranks.
inline std::string planted_deck(const TestFolder& folder) {
  return folder.write("deck.toml", R"([run]
output = "@/run"
[data.synthetic]
kind = "planted"
samples = 1000
evaluate_samples = 100
rows = [50, 30, 1]
dense_features = 5
[model]
embedding_dim = 4
bottom = [8, 4]
top = [8, 1]
[train]
batch_size = 64
lanes = 4
[optimizer]
dense = {type = "adagrad", lr = 0.05}
sparse = {type = "rowwise_adagrad", lr = 0.05}
)");
}

}  // namespace tesserec::test
