// SPDX-License-Identifier: Apache-2.0
#include "run_locks.hpp"

#include <filesystem>

namespace tesserec::train {
namespace {

std::filesystem::path plain(const std::string& folder) {
  return (std::filesystem::absolute(folder) / "").lexically_normal();
}

}  // namespace

RunLocks::RunLocks(const comm::Communicator& comm, const Job& job) {
  run_.emplace(comm, job.run.folder(), job.run.lock_wait);
  const std::string& apart = job.checkpoint.path;
  if (!apart.empty() && job.checkpoint.keep > 0 && plain(apart) != plain(job.run.folder()))
    checkpoints_.emplace(comm, apart, job.run.lock_wait);
}

}  // namespace tesserec::train
