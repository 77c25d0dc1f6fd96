// SPDX-License-Identifier: Apache-2.0
/// Where checkpoints live and how one becomes whole: PATH/step_000000123/{state.h5 and its parts, manifest.json},
/// written under the name step_000000123.tmp, proven on the disk, then renamed. A kill at any instant leaves every
/// whole one whole.
#pragma once

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
  Index step = 0;  ///< steps done when it was made
};

/// All functions are collective; only the first rank touches folders, and its Error is thrown on all ranks.
class CheckpointFolder {
 public:
  /// Nothing is made or looked at before the first call. `comm` outlives this.
  CheckpointFolder(const comm::Communicator& comm, std::string path) : comm_(comm), path_(std::move(path)) {}

  /// Makes the folder before a run's first step, so that no work is lost. Error if it cannot be made or written.
  void prepare() const;
  /// Makes a checkpoint of the state that write(PATH of state.h5) writes and records; leaves nothing if that fails.
  template <class Write>
  store::Checkpoint write(Index step, const Write& write, const std::string& origin = {}) const {
    store::Checkpoint begun = begin(step);
    begun.origin = origin;
    try {
      return commit(begun, write(begun.state_file()));
    } catch (const Error&) {
      abandon(begun);
      throw;
    }
  }
  /// Removes what killed runs left half-made, and makes a new checkpoint's folder. Write into state_file().
  store::Checkpoint begin(Index step) const;
  /// Makes what was begun durable and whole, and sets aside an older one of the same step. Returns its final place.
  store::Checkpoint commit(const store::Checkpoint& begun, const store::StateRecords& datasets) const;
  /// Removes what was begun, after an error: a full disk needs the room.
  void abandon(const store::Checkpoint& begun) const noexcept;
  /// Whole ones, newest first. Folders without a readable manifest are passed over.
  std::vector<store::Checkpoint> list() const;
  /// Removes those set aside, and all whole ones but that of step `best` and the `keep` newest up to `newest`; keep <=
  /// 0 keeps those. Checkpoints of later steps belong to an earlier run that this one has replaced, and go.
  void prune(const store::Checkpoint& newest, Index keep, std::optional<Index> best = {}) const;

  /// Returns the evaluation that is marked as the best; nothing where none is. Its checkpoint need not stand.
  std::optional<BestEvaluation> best() const;
  /// Replaces best.json; nullopt removes it.
  void mark_best(const std::optional<BestEvaluation>& best) const;

  const std::string& path() const { return path_; }

 private:
  const comm::Communicator& comm_;
  std::string path_;
};

/// Returns the checkpoint that a path names: itself, the newest of a run or of a folder of checkpoints, or, with /best
/// appended, the one that best.json names; any other path as it is. Error: no best checkpoint is kept. Collective.
std::string find_checkpoint(const comm::Communicator& comm, const std::string& path);

/// store::Manifest::state of a checkpoint; empty where there is none, or it is of version 1. Collective.
std::string seal_of(const comm::Communicator& comm, const std::string& folder);

/// Opens a checkpoint's folder for reading; the ranks together compare all of it with manifest and seals. Error when
/// there is none, or it is damaged or of a newer version. Collective.
store::OpenCheckpoint open_checkpoint(const comm::Communicator& comm, const std::string& folder);

}  // namespace tesserec::parallel_io
