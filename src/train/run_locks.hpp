// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <tesserec/store/lock.hpp>
#include <tesserec/train/job.hpp>

namespace tesserec::train {

/// Locks on the folders of a run and, if apart, of its checkpoints. Collective; waits up to run.lock_wait.
class RunLocks {
 public:
  RunLocks(const comm::Communicator& comm, const Job& job);

 private:
  std::optional<store::FolderLock> run_, checkpoints_;
};

}  // namespace tesserec::train
