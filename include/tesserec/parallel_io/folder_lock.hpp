// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/store/lock.hpp>

namespace tesserec::parallel_io {

/// Lock of a folder that belongs to one job. Every rank holds one byte of the lock, so that it ends with the last rank.
class FolderLock {
 public:
  /// Locks FOLDER/lock, and makes the folder if it is missing. Waits at most `seconds` for another job. Throws Error as
  /// FileLock does. Collective.
  FolderLock(const comm::Communicator& comm, const std::string& folder, double seconds);
  /// Locks a folder that its job removes: by the file FOLDER.lock beside it, which is returned by lock_beside().
  static FolderLock beside(const comm::Communicator& comm, const std::string& folder, double seconds);
  static std::string lock_beside(const std::string& folder) { return folder + ".lock"; }

 private:
  FolderLock() = default;
  void lock(const comm::Communicator& comm, const std::string& path, double seconds);

  store::FileLock lock_;
};

}  // namespace tesserec::parallel_io
