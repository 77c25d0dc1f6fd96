// SPDX-License-Identifier: Apache-2.0
#include "scratch_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::tiers {
namespace {

/// Makes the last component of a folder's path if it is missing. A missing parent is an error, because it may be the
/// place of a disk that is not mounted.
void make_folder(const std::string& path, const std::string& what) {
  namespace fs = std::filesystem;
  fs::path folder = fs::path(path).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  const fs::path parent = folder.parent_path();
  std::error_code fault;
  if (!parent.empty() && fs::status(parent, fault).type() == fs::file_type::not_found)
    fail("plan.disk_folder: ", path, ": its parent folder ", parent.string(), " does not exist, so ", what,
         " have no place. Mount its disk, make this folder, or set another plan.disk_folder");
  const bool made = fs::create_directory(folder, fault);
  if (fault)
    fail("plan.disk_folder: ", path, ": cannot make this folder for ", what, ": ", fault.message(),
         "; set plan.disk_folder");
  if (made)
    log_warning(concat("plan.disk_folder: ", path,
                       " did not exist and was made; if a disk should be mounted there, it is "
                       "not"));
}

}  // namespace

ScratchFile::ScratchFile(const std::string& folder, const std::string& what, Index bytes)
    : folder_(folder), bytes_(bytes) {
  make_folder(folder, what);
  descriptor_ = open(O_DIRECT);
  if (descriptor_ < 0 && errno == EINVAL) {
    direct_ = false;
    descriptor_ = open(0);
  }
  if (descriptor_ < 0)
    fail("plan.disk_folder: ", folder, ": cannot open a file for ", what, ": ", std::strerror(errno),
         "; set plan.disk_folder");
  // The space is compared first, because a reservation that fails has filled the disk.
  struct statvfs disk {};
  const Index left = ::statvfs(folder.c_str(), &disk) == 0 ? Index(disk.f_bavail * disk.f_frsize) : bytes;
  int error = left < bytes ? ENOSPC : 0;
  if (error == 0 && ::fallocate(descriptor_, 0, 0, bytes) != 0 && errno != EOPNOTSUPP) error = errno;
  if (error == 0) return;
  ::close(descriptor_);
  if (error == ENOSPC)
    fail(folder, " has ", bytes_text(double(left)), " free, but ", what, " need ", bytes_text(double(bytes)),
         "; name a folder of a larger file system (plan.disk_folder), or use more ranks");
  fail(folder, ": cannot reserve ", bytes_text(double(bytes)), " for ", what, ": ", std::strerror(error));
}

ScratchFile::~ScratchFile() { ::close(descriptor_); }

/// Opens a file without a name, or deletes the name at once where the file system needs one. Returns -1 with errno.
int ScratchFile::open(int flags) const {
  const int unnamed = ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | flags, 0600);
  if (unnamed >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return unnamed;
  std::string path = folder_ + "/.tesserec-rows-XXXXXX";
  const int named = ::mkostemp(path.data(), O_CLOEXEC | flags);
  if (named >= 0) ::unlink(path.c_str());
  return named;
}

}  // namespace tesserec::tiers
