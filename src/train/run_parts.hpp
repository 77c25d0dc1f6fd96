// SPDX-License-Identifier: Apache-2.0
/// Parts of a run beside its steps: its folders' locks, its progress line.
#pragma once

#include <optional>

#include <tesserec/core/timer.hpp>
#include <tesserec/parallel_io/folder_lock.hpp>
#include <tesserec/store/lock.hpp>
#include <tesserec/train/job.hpp>
#include <tesserec/train/observer.hpp>

namespace tesserec::train {

/// Locks on the folders of a run and, if apart, of its checkpoints. Collective; waits up to run.lock_wait.
class RunLocks {
 public:
  RunLocks(const comm::Communicator& comm, const Job& job);

 private:
  std::optional<parallel_io::FolderLock> run_, checkpoints_;
};

/// Warnings and the line that a person watches: steps, samples/s, loss, time to go.
class Progress final : public Observer {
 public:
  /// `evaluates`: there are evaluation data.
  explicit Progress(bool evaluates) : evaluates_(evaluates) {}
  void begins(Training& training) override;
  void steps(Training& training) override;
  void stepped(Training& training) override;

 private:
  bool evaluates_;
  Index first_step_ = 0, first_samples_ = 0;  // done before this process
  std::optional<Timer> timer_;                // from the first step on
  double shown_ = -1e9;
};

}  // namespace tesserec::train
