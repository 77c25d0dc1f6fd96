// SPDX-License-Identifier: Apache-2.0
/// Locks that keep two jobs out of one folder. They are the kernel's record locks (fcntl), which NFS honours and which
/// end with the process that holds them, however it ends.
#pragma once

#include <string>

#include <tesserec/comm/communicator.hpp>

namespace tesserec::store {

/// An exclusive lock on one file, held while this lives. The file holds the name of its newest owner.
class FileLock {
 public:
  FileLock() = default;
  /// Makes the file where it is missing, and waits at most `seconds` for another owner to end. Error that names the
  /// owner. A file system without locks gives a warning and no lock.
  FileLock(const std::string& path, double seconds);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

 private:
  friend class FolderLock;
  int file_ = -1;
};

/// The state of a lock file, seen without taking the lock.
struct LockLook {
  enum class State { missing, free, held, unknown } state = State::missing;  ///< unknown: the file system has no locks
  std::string owner;  ///< newest owner, "process 12 on node7, job 34"; it stays in the file when the lock is free
};
/// Never blocks, and changes nothing.
LockLook look_at_lock(const std::string& path);

/// A folder that belongs to one job. Every rank holds a part of the lock, so that it ends with the last of them.
class FolderLock {
 public:
  /// Collective. FOLDER/lock; the folder is made where it is missing. Errors as those of FileLock.
  FolderLock(const comm::Communicator& comm, const std::string& folder, double seconds);

 private:
  FileLock lock_;
};

}  // namespace tesserec::store
