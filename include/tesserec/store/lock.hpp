// SPDX-License-Identifier: Apache-2.0
/// Locks that keep two jobs out of one folder. They are the kernel's record locks (fcntl), which NFS honours and which
/// end with the process that holds them, however it ends.
#pragma once

#include <string>

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

  /// Keeps the first byte alone, so that the owner's other processes can join().
  void share() const;
  /// Takes byte `number`, from 1 on, of a lock that another process of this owner shares. Error that names the owner of
  /// that byte.
  static FileLock join(const std::string& path, int number);

 private:
  int file_ = -1;
};

/// The state of a lock file, seen without taking the lock.
struct LockLook {
  enum class State { missing, free, held, unknown } state = State::missing;  ///< unknown: the file system has no locks
  std::string owner;  ///< newest owner, "process 12 on node7, job 34"; it stays in the file when the lock is free
};
/// Never blocks, and changes nothing.
LockLook look_at_lock(const std::string& path);

}  // namespace tesserec::store
