// SPDX-License-Identifier: Apache-2.0
/// State of a whole model by name, for checkpoints of the program's runs and of any other loop around a TrainStep.
#pragma once

#include <string>
#include <vector>

#include <tesserec/data/source.hpp>
#include <tesserec/model/sharded_model.hpp>
#include <tesserec/store/state.hpp>

namespace tesserec::train {

/// Returns this rank's parts of the model's weights, "tables/NAME/weight" and "dense/PARAMETER/value".
std::vector<store::StateItem> model_weights(const comm::Communicator& comm, const model::ShardedModel& model);
/// Returns this rank's parts of the optimizers' states, "tables/NAME/STATE" and "dense/PARAMETER/STATE".
std::vector<store::StateItem> model_states(const comm::Communicator& comm, const model::ShardedModel& model);

/// Returns this rank's parts of the dense half alone, weights and states.
std::vector<store::StateItem> dense_items(const comm::Communicator& comm, const model::ShardedModel& model);

/// Writes the whole model, its step and the column names of `data`, its training data, as a checkpoint below the folder
/// `path`. Removes all checkpoints but the `keep` newest; 0 = removes none. The checkpoint counts only once it is
/// proven on the disk. Returns its folder. Collective, like all functions below. Throws the same Error on all ranks.
std::string save(const Exec& exec, const model::ShardedModel& model, const data::SourceInfo& data,
                 const std::string& path, Index keep);

/// Reads the newest checkpoint below `path`, for any ranks and plan, and sets model.embeddings.steps(). Returns false
/// if there is none. Throws Error if it is damaged, of another model or of other lanes, or if `data` has other columns
/// or another order.
bool load(const Exec& exec, model::ShardedModel& model, const data::SourceInfo& data, const std::string& path);

/// Returns the digest of all weights and states, the same for any ranks and plan.
std::string digest(const Exec& exec, const model::ShardedModel& model);

}  // namespace tesserec::train
