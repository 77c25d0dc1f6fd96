// SPDX-License-Identifier: Apache-2.0

#include <cerrno>

#include <sys/stat.h>

#include <tesserec/core/error.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/store/stamp.hpp>

namespace tesserec::store {

Stamp stamp_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) fail_errno(path, "open it");
  return {status.st_dev, status.st_ino, std::uint64_t(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

void require_unchanged(const std::string& path, const Stamp& stamp) {
  constexpr const char* advice = "; leave the files of a run alone until it ends, and start it again";
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 && errno == ENOENT) fail(path, " was removed while it was being read", advice);
  const Stamp now = stamp_of(path);
  if (now == stamp) return;
  const bool replaced = now.device != stamp.device || now.file != stamp.file;
  fail(path, replaced ? " was replaced by another file" : " was changed", " while it was being read", advice);
}

}  // namespace tesserec::store
