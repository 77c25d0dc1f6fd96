// SPDX-License-Identifier: Apache-2.0
/// State of sharded tables by name, for checkpoints of the program's own models and of any other.
#pragma once

#include <string>
#include <vector>

#include <tesserec/sharding/distributed_model_parallel.hpp>
#include <tesserec/store/state.hpp>

namespace tesserec::train {

/// Returns this rank's parts of the tables' weights, "tables/NAME/weight", and of the ids of growing tables. Collective
/// if a table grows, as the next function.
std::vector<store::StateItem> table_weights(const comm::Communicator& comm,
                                            const sharding::ShardedEmbeddingBagCollection& tables);
/// Returns this rank's parts of the optimizer states, "tables/NAME/STATE".
std::vector<store::StateItem> table_states(const comm::Communicator& comm,
                                           const sharding::ShardedEmbeddingBagCollection& tables);

/// Writes weights and states of tables inside a user's own model (else: model_state.hpp), and `more`, as a checkpoint
/// of model.steps() below the folder `path`. Removes all checkpoints but the `keep` newest; 0 = removes none. The
/// checkpoint counts only once it is proven on the disk. Returns its folder. Collective, like all functions below.
/// Throws the same Error on all ranks.
std::string save(const Exec& exec, const sharding::DistributedModelParallel& model, const std::string& path, Index keep,
                 const std::vector<store::StateItem>& more = {});

/// Reads the newest checkpoint below `path`, for any number of ranks and any plan, and continues after its step.
/// Returns false if there is none. Throws Error if it is damaged, of another model or of other lanes.
bool load(const Exec& exec, sharding::DistributedModelParallel& model, const std::string& path,
          const std::vector<store::StateItem>& more = {});

/// Returns the digest of all weights and states and of `more`, the same for any ranks and plan.
std::string digest(const Exec& exec, const sharding::DistributedModelParallel& model,
                   const std::vector<store::StateItem>& more = {});

}  // namespace tesserec::train
