// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/train/session.hpp>

namespace tesserec::train {

/// Position of a run: the values that a checkpoint adds to weights and optimizer state.
struct Position {
  Index step = 0;       ///< steps done, including those on earlier datasets
  Index epoch = 0;      ///< epoch of the next batch, counted on this dataset
  Index batch = 0;      ///< next batch in its epoch
  Index samples = 0;    ///< samples trained so far
  double loss_sum = 0;  ///< sum of the samples' losses since the last line of the metrics log
  Index loss_samples = 0;
  std::vector<std::int64_t> metrics;  ///< RunningMetrics::state()
  std::string checkpoint;             ///< folder of the restored checkpoint; empty = a start at step 0
  Index deltas = 0;                   ///< deltas that were read after that checkpoint
  /// This run's newest checkpoint or delta, which the next delta continues; unset = a checkpoint must precede it.
  std::optional<store::Continued> continues = {};
  bool is_own = false;         ///< true if that checkpoint belongs to this run
  bool another_set = false;    ///< true if the checkpoint was made with another dataset
  double restore_seconds = 0;  ///< time to read the checkpoint, seconds
  std::string origin;          ///< Manifest::origin, if the run began from a checkpoint elsewhere; else empty

  /// Counts a step on `count` samples with the mean loss `loss`.
  void add_step(Index count, double loss) {
    ++step;
    ++batch;
    samples += count;
    loss_sum += loss * double(count);
    loss_samples += count;
  }
};

/// Returns the digest of all weights, the same for any ranks and plan. Sets `not_finite`, unless null, to a sentence
/// about the first weight of this rank whose square is not finite. Collective.
std::string weights_digest(Session& session, std::string* not_finite = nullptr);
/// Returns the digest of all optimizer state, the same for any ranks and plan. Collective.
std::string state_digest(Session& session);

/// Writes a checkpoint, removes those beyond checkpoint.keep, and returns its folder. With checkpoint.keep_best, also
/// keeps the checkpoint of the best evaluation. Throws Error if it cannot be written, and Diverged if numbers of the
/// model are not finite. Earlier checkpoints then stay. Collective.
std::string save(Session& session, const Position& position, Index epoch_samples);

/// Loads the checkpoint that checkpoint.resume or start_from names; returns nothing if there is none. Reads also the
/// unbroken chain of deltas after the run's own newest checkpoint, unless the model's matrices have changed. Further
/// rows of a larger table keep their start values. Values that need not fit by checkpoint.accept are logged and keep
/// their start values. Throws Error if the checkpoint is damaged or of another model. Other lanes are an Error unless
/// checkpoint.relane, and other data or another deck unless checkpoint.accept. Another batch size is an Error. Later
/// checkpoints that the run would replace are an Error unless run.overwrite. Collective.
std::optional<Position> restore(Session& session, Index epoch_samples);

/// Returns the Manifest::origin of a run that began with the weights of a checkpoint elsewhere with this seal.
std::string start_origin(const std::string& seal);

/// Manifest::origin of a run that began with the weights of `tesserec import`, without checkpoint.start_from.
inline constexpr const char* import_origin = "import";

/// Returns the Manifest::origin of a run that resumed from a checkpoint elsewhere with this seal.
std::string resume_origin(const std::string& seal);

/// Checkpoint opened for its weights alone, as evaluate and predict use it.
struct TrainedModel {
  std::string folder;
  store::OpenCheckpoint checkpoint;
  store::Attributes attributes;
};

/// Opens the checkpoint that `path` names, as parallel_io::find_checkpoint does, or the run's newest if empty. Throws
/// Error if there is none, it is damaged, or it was made with another deck (unless checkpoint.accept). Collective.
TrainedModel open_trained(const comm::Communicator& comm, const Job& job, const std::string& path);

/// Data in the form that a trained model takes.
struct FittedData {
  std::unique_ptr<data::Source> source;
  data::SourceInfo info;  ///< facts to build the model's Session from: the source's, with the rows of the model's
                          ///< tables
};

/// Reorders the columns of `source` as in the model's training data, by name. Throws Error naming the column or table
/// that does not fit.
FittedData fit_data(const TrainedModel& trained, const Job& job, std::unique_ptr<data::Source> source);

/// Loads the weights into a session built for them. Collective.
void restore_weights(Session& session, const TrainedModel& trained);

}  // namespace tesserec::train
