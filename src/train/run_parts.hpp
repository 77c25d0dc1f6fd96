// SPDX-License-Identifier: Apache-2.0
/// Parts of a run beside its steps: its length, its folders' locks, its progress line.
#pragma once

#include <optional>

#include <tesserec/core/timer.hpp>
#include <tesserec/parallel_io/folder_lock.hpp>
#include <tesserec/store/lock.hpp>
#include <tesserec/train/checkpoint.hpp>
#include <tesserec/train/job.hpp>

namespace tesserec::train {

/// Steps and samples of a run.
struct RunLength {
  /// An epoch has `samples` samples in `batches` batches. Error: the steps cannot be counted.
  RunLength(const Settings& train, Index samples, Index batches);

  /// Steps on earlier data sets.
  Index begun(const Position& at) const { return at.step - (at.epoch * batches + at.batch); }

  Index epoch_samples;
  Index batches;
  Index last;  ///< step
};

/// Warns of settings of the rate and of evaluations that do nothing in a run of so many steps.
void warn_of_idle_settings(const Job& job, Index last, bool evaluates);

/// Locks on the folders of a run and, if apart, of its checkpoints. Collective; waits up to run.lock_wait.
class RunLocks {
 public:
  RunLocks(const comm::Communicator& comm, const Job& job);

 private:
  std::optional<parallel_io::FolderLock> run_, checkpoints_;
};

/// The line that a person watches: steps, samples/s, loss, time to go.
class Progress {
 public:
  Progress(Index first_step, Index last_step) : first_(first_step), last_(last_step) {}
  void show(Index step, Index samples, double loss, bool last);

 private:
  Index first_, last_;
  Timer timer_;
  double shown_ = -1e9;
};

}  // namespace tesserec::train
