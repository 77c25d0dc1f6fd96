// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/store/lock.hpp>

namespace tesserec::parallel_io {

/// A folder that belongs to one job. Every rank holds a part of the lock, so that it ends with the last of them.
class FolderLock {
 public:
  /// Collective. FOLDER/lock; the folder is made where it is missing. Errors as those of FileLock.
  FolderLock(const comm::Communicator& comm, const std::string& folder, double seconds);

 private:
  store::FileLock lock_;
};

}  // namespace tesserec::parallel_io
