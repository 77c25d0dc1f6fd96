// SPDX-License-Identifier: Apache-2.0
/// Locks of a run's folders, and its progress line.
#pragma once

#include <optional>
#include <string>

#include <tesserec/core/timer.hpp>
#include <tesserec/embedding/row_store.hpp>
#include <tesserec/parallel_io/folder_lock.hpp>
#include <tesserec/store/lock.hpp>
#include <tesserec/train/job.hpp>
#include <tesserec/train/observer.hpp>
#include <tesserec/train/session.hpp>

namespace tesserec::train {

/// Locks on the folder of a run and, if it is another, on that of its checkpoints. The constructor is collective and
/// waits up to run.lock_wait seconds.
class RunLocks {
 public:
  RunLocks(const comm::Communicator& comm, const Job& job);

 private:
  std::optional<parallel_io::FolderLock> run_, checkpoints_;
};

/// Observer that warns of settings without effect and shows a progress line: steps, samples/s, loss, hit rate of rows
/// on disk, time left.
class Progress final : public Observer {
 public:
  /// Takes whether the run has evaluation data.
  explicit Progress(bool evaluates) : evaluates_(evaluates) {}
  void begins(Training& training) override;
  void steps(Training& training) override;
  void stepped(Training& training) override;

 private:
  std::string hit_rate(const Session& session);

  bool evaluates_;
  Index first_step_ = 0, first_samples_ = 0;  // counts before this process began
  std::optional<Timer> timer_;                // time since this process's first step began
  double shown_ = -1e9;
  embedding::CacheUse cache_;  // of this rank, at the last line
  std::string hit_rate_;       // text of the last line
};

}  // namespace tesserec::train
