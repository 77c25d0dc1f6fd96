// SPDX-License-Identifier: Apache-2.0
/// What is sharded, as named state: for checkpoints of the program's own models and of any other.
#pragma once

#include <string>
#include <vector>

#include <tesserec/sharding/distributed_model_parallel.hpp>
#include <tesserec/store/state.hpp>

namespace tesserec::train {

/// Return this rank's parts of the tables' weights, "tables/NAME/weight", and optimizer states, "tables/NAME/STATE".
std::vector<store::StateItem> table_weights(const comm::Communicator& comm,
                                            const sharding::ShardedEmbeddingBagCollection& tables);
std::vector<store::StateItem> table_states(const comm::Communicator& comm,
                                           const sharding::ShardedEmbeddingBagCollection& tables);

/// Writes weights and states of tables inside a user's own model (else: model_state.hpp), and `more`, as a checkpoint
/// of model.steps() below folder `path`. Removes all but the `keep` newest; 0 = none. Proven on the disk before it
/// counts. Returns its folder. Collective, like all below; an Error is the same on all ranks.
std::string save(const Exec& exec, const sharding::DistributedModelParallel& model, const std::string& path, Index keep,
                 const std::vector<store::StateItem>& more = {});

/// Reads the newest one below `path`, on any number of ranks and with any plan, and goes on behind its step; false when
/// there is none. Error: damaged, another model's, made with other lanes.
bool load(const Exec& exec, sharding::DistributedModelParallel& model, const std::string& path,
          const std::vector<store::StateItem>& more = {});

/// One string for all of it, whatever ranks and plan.
std::string digest(const Exec& exec, const sharding::DistributedModelParallel& model,
                   const std::vector<store::StateItem>& more = {});

}  // namespace tesserec::train
