// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tesserec/store/state.hpp>
#include <tesserec/train/session.hpp>

namespace tesserec::train {

/// Where a run is: what a checkpoint adds to weights and optimizer state.
struct Position {
  Index step = 0;       ///< steps done
  Index epoch = 0;      ///< of the next batch
  Index batch = 0;      ///< of the next batch, in its epoch
  Index samples = 0;    ///< trained so far
  double loss_sum = 0;  ///< since the last line of the metrics log, sample by sample
  Index loss_samples = 0;
  std::vector<std::int64_t> metrics;  ///< RunningMetrics::state()
  std::string checkpoint;             ///< restored from this folder; empty = a fresh start
};

/// Logical tensors of the model, with this rank's parts: weights and optimizer state of tables and dense half.
std::vector<store::StateItem> weight_items(Session& session);
std::vector<store::StateItem> optimizer_items(Session& session);

/// One string each for all weights and all optimizer state, whatever ranks and plan.
std::string weights_digest(Session& session);
std::string state_digest(Session& session);

/// Writes a checkpoint and removes those beyond checkpoint.keep; returns its path. Collective.
std::string save(Session& session, const Position& position, Index epoch_samples);

/// Loads what checkpoint.resume asks for; nothing when there is none. Errors: damaged, another model's, made with other
/// lanes (unless checkpoint.relane), another batch size, other data or another deck (unless checkpoint.accept); a
/// folder whose later checkpoints the run would replace (unless run.overwrite). Collective.
std::optional<Position> restore(Session& session, Index epoch_samples);

/// Loads weights alone, for evaluate and predict: from `path`, or the run's newest checkpoint when empty. Returns where
/// they came from. Error when there is none. Collective.
std::string restore_weights(Session& session, const std::string& path);

}  // namespace tesserec::train
