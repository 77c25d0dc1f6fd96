// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/train/session.hpp>

namespace tesserec::train {

/// Position of a run: what a checkpoint adds to weights and optimizer state.
struct Position {
  Index step = 0;       ///< steps done, on data sets before this one too
  Index epoch = 0;      ///< of the next batch, since the first one of this data set
  Index batch = 0;      ///< of the next batch, in its epoch
  Index samples = 0;    ///< trained so far
  double loss_sum = 0;  ///< since the last line of the metrics log, sample by sample
  Index loss_samples = 0;
  std::vector<std::int64_t> metrics;  ///< RunningMetrics::state()
  std::string checkpoint;             ///< restored from this folder; empty = a start at step 0
  bool is_own = false;                ///< that folder is one of this run
  bool another_set = false;           ///< the checkpoint was made with another data set
  double restore_seconds = 0;         ///< that reading it took
  std::string origin;                 ///< seal of the checkpoint elsewhere that the run began from; empty = none

  /// Counts a step on so many samples, whose mean loss is `loss`.
  void add_step(Index count, double loss) {
    ++step;
    ++batch;
    samples += count;
    loss_sum += loss * double(count);
    loss_samples += count;
  }
};

/// One string each for all weights and all optimizer state, whatever ranks and plan.
std::string weights_digest(Session& session);
std::string state_digest(Session& session);

/// Writes a checkpoint, removes those beyond checkpoint.keep, and returns its path. With checkpoint.keep_best, the one
/// of the best evaluation stays. Collective.
std::string save(Session& session, const Position& position, Index epoch_samples);

/// Loads what checkpoint.resume and start_from ask for, or nothing. Further rows of a larger table keep start values;
/// what checkpoint.accept lets not fit is logged and left as new. Errors: damaged, another model's, made with other
/// lanes (unless checkpoint.relane), batch size, data or deck (unless checkpoint.accept); later checkpoints in the way
/// (unless run.overwrite). Collective.
std::optional<Position> restore(Session& session, Index epoch_samples);

/// Returns the Manifest::origin of a run that went on from a checkpoint elsewhere, which has this seal.
std::string went_on_from(const std::string& seal);

/// A checkpoint opened for its weights alone, as evaluate and predict take them.
struct TrainedModel {
  std::string folder;
  store::OpenCheckpoint checkpoint;
  store::Attributes attributes;
};

/// Opens the checkpoint that `path` names, as parallel_io::find_checkpoint takes it, or the run's newest when empty.
/// Error when there is none, when it is damaged or was made with another deck (unless checkpoint.accept). Collective.
TrainedModel open_trained(const comm::Communicator& comm, const Job& job, const std::string& path);

/// Data as a trained model takes them.
struct FittedData {
  std::unique_ptr<data::Source> source;
  data::SourceInfo info;  ///< what the model's Session is built for: the source's, with the rows of the model's tables
};

/// Reorders `source` as the model's training data, by name. Error names the column or table that does not fit.
FittedData fit_data(const TrainedModel& trained, const Job& job, std::unique_ptr<data::Source> source);

/// Loads the weights into a session built for them. Collective.
void restore_weights(Session& session, const TrainedModel& trained);

}  // namespace tesserec::train
