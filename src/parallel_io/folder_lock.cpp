// SPDX-License-Identifier: Apache-2.0
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/parallel_io/folder_lock.hpp>
#include <tesserec/store/disk.hpp>

namespace tesserec::parallel_io {

FolderLock::FolderLock(const comm::Communicator& comm, const std::string& folder, double seconds) {
  comm::agree(comm, [&] {
    if (comm.rank() == 0) store::make_folder_durably(folder);
  });
  lock(comm, folder + "/lock", seconds);
}

FolderLock FolderLock::beside(const comm::Communicator& comm, const std::string& folder, double seconds) {
  FolderLock lock;
  lock.lock(comm, lock_beside(folder), seconds);
  return lock;
}

// The first rank waits until it can lock the whole file, which is free once the last rank of an earlier job has ended.
// It keeps byte 0, and each other rank then locks the byte of its number. Any single rank thus keeps other jobs out.
void FolderLock::lock(const comm::Communicator& comm, const std::string& path, double seconds) {
  comm::agree(comm, [&] {
    if (comm.rank() != 0) return;
    lock_ = store::FileLock(path, seconds);
    if (comm.size() > 1) lock_.share();
  });
  comm::agree(comm, [&] {
    if (comm.rank() != 0) lock_ = store::FileLock::join(path, comm.rank());
  });
}

}  // namespace tesserec::parallel_io
