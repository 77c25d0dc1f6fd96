// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <tesserec/store/lock.hpp>
#include <tesserec/train/job.hpp>

namespace tesserec::train {

/// The folders of a run as this job's own while it lives: the run's, and that of its checkpoints where it lies apart.
/// Collective; waits up to run.lock_wait for another job.
class RunLocks {
 public:
  RunLocks(const comm::Communicator& comm, const Job& job);

 private:
  std::optional<store::FolderLock> run_, checkpoints_;
};

}  // namespace tesserec::train
