// SPDX-License-Identifier: Apache-2.0
/// Checkpoints of models in a loop of one's own: named state, step and lanes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <tesserec/sharding/distributed_model_parallel.hpp>
#include <tesserec/store/state.hpp>

namespace tesserec::train {

/// Writes `items` with the model's step and lanes and `facts`; arguments and result as save's.
std::string save_state(const Exec& exec, const sharding::DistributedModelParallel& model, const std::string& path,
                       Index keep, const std::vector<store::StateItem>& items, store::Attributes facts);

/// Reads `items` and step of the newest checkpoint, which `check` may refuse by its attributes. False if there is none.
bool load_state(const Exec& exec, sharding::DistributedModelParallel& model, const std::string& path,
                const std::vector<store::StateItem>& items,
                const std::function<void(const store::Attributes&, const std::string& file)>& check);

}  // namespace tesserec::train
