// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/slurm.hpp>
#include <tesserec/core/timer.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/store/lock.hpp>

namespace tesserec::store {
namespace {

/// Locks or frees `length` bytes from `first` on; length 0 stands for the rest of the file. Does not block. Returns 0
/// or errno. The lock belongs to the open file, not to the process, so that it separates two jobs in one process too.
int lock_range(int file, short type, Index first, Index length) {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = first;
  range.l_len = length;
  return ::fcntl(file, F_OFD_SETLK, &range) == 0 ? 0 : errno;
}

std::string owner_of(int file) {
  std::array<char, 512> text{};
  const ssize_t got = ::pread(file, text.data(), text.size(), 0);
  const std::string owner(text.data(), std::max<ssize_t>(got, 0));
  return owner.empty() ? "another process" : owner.substr(0, owner.find('\n'));
}

void write_owner(int file, const std::string& path) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  std::string text = "process " + std::to_string(::getpid()) + " on " + host.data();
  for (const char* name : {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"}) {
    const char* job = std::getenv(name);
    const bool of_slurm = std::strcmp(name, "SLURM_JOB_ID") == 0;
    if (job != nullptr && (!of_slurm || is_part_of_slurm_job(job))) text += ", job " + std::string(job);
  }
  text += "\n";
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, text.data(), text.size(), 0) != std::ssize(text))
    log_warning(path + ": cannot write the owner of this lock: " + std::strerror(errno));
}

/// Returns whether `path` still names the open file, which its owner may have renamed or removed.
bool is_still(int file, const std::string& path) {
  struct stat open {
  }, named{};
  return ::fstat(file, &open) == 0 && ::stat(path.c_str(), &named) == 0 && open.st_ino == named.st_ino &&
         open.st_dev == named.st_dev;
}

/// Sets `type` to the type of another open file's lock on any byte, or to F_UNLCK. Returns 0, or errno without lock
/// support.
int query_lock(int file, short& type) {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  const int error = ::fcntl(file, F_OFD_GETLK, &range) == 0 ? 0 : errno;
  type = range.l_type;
  return error;
}

/// Opens or creates a lock file; returns -1 if that fails. Throws Error at a symbolic link, by which another file would
/// be written.
int open_lock(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (file < 0 && errno == ELOOP) fail(path, ": the lock file is a symbolic link; remove it");
  return file;
}

}  // namespace

FileLock::FileLock(const std::string& path, double seconds) {
  const Timer timer;
  bool announced = false;
  while (true) {
    file_ = open_lock(path);
    if (file_ < 0) fail_errno(path, "open this lock file");
    const int error = lock_range(file_, F_WRLCK, 0, 0);
    if (error == 0 && is_still(file_, path)) break;
    if (error != 0 && error != EAGAIN && error != EACCES) {
      log_warning(path + ": this file system has no locks (" + std::strerror(error) +
                  "), so a second job in this folder is not detected; start only one");
      return;
    }
    const std::string owner = owner_of(file_);
    ::close(std::exchange(file_, -1));
    if (error == 0) continue;  // The file was renamed or removed meanwhile.
    if (timer.seconds() >= seconds)
      fail(path, " is in use by ", owner, ", after ", seconds,
           " s of waiting (run.lock_wait); wait for it to end, end it, or give this job another run.output");
    if (!std::exchange(announced, true)) log_info("waiting for " + owner + ", which holds " + path);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  write_owner(file_, path);
}

FileLock::FileLock(FileLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

FileLock::~FileLock() {
  if (file_ >= 0) ::close(file_);
}

LockStatus probe_lock(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return {errno == ENOENT ? LockStatus::State::missing : LockStatus::State::unknown, ""};
  LockStatus status{LockStatus::State::unknown, owner_of(file)};
  short type = F_UNLCK;
  if (query_lock(file, type) == 0) status.state = type == F_UNLCK ? LockStatus::State::free : LockStatus::State::held;
  ::close(file);
  return status;
}

void FileLock::share() const {
  if (file_ >= 0) lock_range(file_, F_UNLCK, 1, 0);
}

FileLock FileLock::join(const std::string& path, int number) {
  FileLock lock;
  lock.file_ = open_lock(path);
  if (lock.file_ < 0) fail_errno(path, "open this lock file, which rank 0 created");
  const int error = lock_range(lock.file_, F_WRLCK, number, 1);
  if (error == EAGAIN || error == EACCES) fail(path, " is in use by ", owner_of(lock.file_));
  return lock;
}

}  // namespace tesserec::store
