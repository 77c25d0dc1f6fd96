// SPDX-License-Identifier: Apache-2.0
/// A whole model as named state: for checkpoints of the program's runs and of any other loop around a TrainStep.
#pragma once

#include <string>
#include <vector>

#include <tesserec/data/source.hpp>
#include <tesserec/model/sharded_model.hpp>
#include <tesserec/store/state.hpp>

namespace tesserec::train {

/// This rank's parts of the model's weights, "tables/NAME/weight" and "dense/PARAMETER/value", and of its optimizers'
/// states, "tables/NAME/STATE" and "dense/PARAMETER/STATE".
std::vector<store::StateItem> model_weights(const comm::Communicator& comm, const model::ShardedModel& model);
std::vector<store::StateItem> model_states(const comm::Communicator& comm, const model::ShardedModel& model);

/// Writes the whole model, its step and the names of the columns of `data`, on which it was trained, as a checkpoint
/// below the folder `path`, and removes all but the `keep` newest; 0 = none. Proven on the disk before it counts.
/// Returns its folder. Collective, like all below; an Error is the same on all ranks.
std::string save(const Exec& exec, const model::ShardedModel& model, const data::SourceInfo& data,
                 const std::string& path, Index keep);

/// Reads the newest checkpoint below `path`, on any ranks and plan, and sets model.embeddings.steps(). False when there
/// is none. Error: damaged, another model's, other lanes, or `data` with other columns or order.
bool load(const Exec& exec, model::ShardedModel& model, const data::SourceInfo& data, const std::string& path);

/// One string for all weights and states, whatever ranks and plan.
std::string digest(const Exec& exec, const model::ShardedModel& model);

}  // namespace tesserec::train
