// SPDX-License-Identifier: Apache-2.0
/// Locks that keep two jobs out of one folder. They are the kernel's record locks (fcntl): NFS honors them, and they
/// end with the process that holds them, however the process ends.
#pragma once

#include <string>

namespace tesserec::store {

/// An exclusive lock on one file, held until the object ends. The file contains the name of its newest owner.
class FileLock {
 public:
  /// Holds no lock.
  FileLock() = default;
  /// Locks the file, which is created if it is missing. Waits at most `seconds` for another owner, then throws Error
  /// that names the owner. Logs a warning and holds no lock if the file system has no locks.
  FileLock(const std::string& path, double seconds);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

  /// Releases all bytes but the first, so that the owner's other processes can join().
  void share() const;
  /// Locks byte `number` (1 or more) of a lock that another process of the same owner shares. Throws Error with the
  /// owner that the file names if another process holds the byte. Does not block.
  static FileLock join(const std::string& path, int number);

 private:
  int file_ = -1;
};

/// State of a lock file, seen without taking the lock.
struct LockStatus {
  enum class State { missing, free, held, unknown } state = State::missing;  ///< unknown: the file system has no locks
  std::string owner;  ///< newest owner, "process 12 on node7, job 34"; it stays in the file when the lock is free
};
/// Returns the state of a lock file. Does not block and changes nothing.
LockStatus probe_lock(const std::string& path);

}  // namespace tesserec::store
