// SPDX-License-Identifier: Apache-2.0
/// Folder of checkpoints: PATH/step_000000123/{state.h5 and its parts, manifest.json}. A checkpoint is written under
/// the name step_000000123.tmp, proven on the disk, then renamed. A kill at any instant leaves every whole checkpoint
/// whole. Deltas, step_000000123.delta, are written in the same way.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/store/checkpoint.hpp>

namespace tesserec::parallel_io {

/// The best evaluation of a run so far, as best.json in the folder of its checkpoints names it.
struct BestEvaluation {
  std::string metric;
  double value = 0;
  Index step = 0;  ///< steps done at the evaluation
};

/// Folder of a run's checkpoints. All functions are collective. Only the first rank changes folders, and its Error is
/// thrown on all ranks.
class CheckpointFolder {
 public:
  /// Takes the path without a look at it. `comm` must outlive this object.
  CheckpointFolder(const comm::Communicator& comm, std::string path) : comm_(comm), path_(std::move(path)) {}

  /// Makes the folder before a run's first step, so that no work is lost. Throws Error if the folder cannot be made or
  /// written.
  void prepare() const;
  /// Makes a checkpoint, or a delta of the state that it `continues`. Calls write(PATH of state.h5), which writes the
  /// state and returns its records. Removes the new folder at an Error.
  template <class Write>
  store::Checkpoint write(Index step, const Write& write, const std::string& origin = {},
                          const std::optional<store::Continued>& continues = {}) const {
    store::Checkpoint begun = begin(step, continues);
    begun.origin = origin;
    try {
      return commit(begun, write(begun.state_file()));
    } catch (const Error&) {
      abandon(begun);
      throw;
    }
  }
  /// Removes the unfinished folders of killed runs and makes the folder of a new checkpoint or delta. The caller then
  /// writes its state_file(). Before a delta, removes other deltas that follow the state that it continues.
  store::Checkpoint begin(Index step, const std::optional<store::Continued>& continues = {}) const;
  /// Makes a begun checkpoint durable and whole, and sets an older one of the same step aside. Returns the checkpoint
  /// at its final place.
  store::Checkpoint commit(const store::Checkpoint& begun, const store::StateRecords& datasets) const;
  /// Removes a begun checkpoint after an error, since a full disk needs the space. Does not communicate.
  void abandon(const store::Checkpoint& begun) const noexcept;
  /// Lists the whole checkpoints, newest first. Skips folders without a readable manifest.
  std::vector<store::Checkpoint> list() const;
  /// Lists the whole deltas, oldest first. Logs a warning for each folder without a readable manifest, and skips it.
  std::vector<store::Checkpoint> deltas() const;
  /// States that prune() leaves.
  struct Kept {
    Index checkpoints = 0;           ///< number of newest checkpoints; 0 or less = all
    std::optional<Index> best = {};  ///< step of one more
    bool deltas = false;             ///< true = with the deltas that continue these checkpoints
  };
  /// Removes the checkpoints that were set aside, and all whole ones and deltas that are not `kept`. Steps after
  /// `newest` belong to an earlier run that this run has replaced.
  void prune(const store::Checkpoint& newest, const Kept& kept) const;

  /// Returns the best evaluation by best.json; nullopt without the file. The evaluation's checkpoint need not exist.
  std::optional<BestEvaluation> best() const;
  /// Replaces best.json, or removes it for nullopt.
  void mark_best(const std::optional<BestEvaluation>& best) const;

  const std::string& path() const { return path_; }

 private:
  std::vector<store::Checkpoint> agreed(const std::function<std::vector<store::Checkpoint>()>& find) const;

  const comm::Communicator& comm_;
  std::string path_;
};

/// Returns store::checkpoints_of() as rank 0 finds it. Collective.
std::string checkpoints_of(const comm::Communicator& comm, const std::string& run);

/// Returns the newest of `whole`, the checkpoints of a folder, which must not be empty. Warns if the folder has newer
/// deltas, since only a run that resumes reads them. Collective.
store::Checkpoint newest_checkpoint(const CheckpointFolder& folder, const std::vector<store::Checkpoint>& whole);

/// Returns the checkpoint that a path names: the path itself, the newest checkpoint of a run or of a folder of
/// checkpoints, or, with /best appended, the checkpoint that best.json names. Returns any other path as it is. Throws
/// Error if /best is appended and no best checkpoint is kept. Collective.
std::string find_checkpoint(const comm::Communicator& comm, const std::string& path);

/// Returns the seal of state.h5 in a checkpoint's manifest; empty without a manifest or in version 1. Collective.
std::string seal_of(const comm::Communicator& comm, const std::string& folder);

/// Opens a checkpoint's folder for reading; the ranks together compare all of it with manifest and seals. Throws Error
/// if the checkpoint is missing, damaged, of a newer version, or not the same on all ranks. Collective.
store::OpenCheckpoint open_checkpoint(const comm::Communicator& comm, const std::string& folder);
/// Opens a delta's folder as open_checkpoint() opens a checkpoint's. Collective.
store::OpenCheckpoint open_delta(const comm::Communicator& comm, const std::string& folder);

/// Returns the unbroken chain of deltas that continue a checkpoint of `folder`, oldest first, each compared with
/// manifest and seals. Logs a warning about the delta at which the chain breaks. Collective.
std::vector<store::Checkpoint> unbroken_deltas(const comm::Communicator& comm, const CheckpointFolder& folder,
                                               const store::Manifest& checkpoint);

}  // namespace tesserec::parallel_io
