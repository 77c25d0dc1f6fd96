// SPDX-License-Identifier: Apache-2.0
#include "durable.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <unistd.h>

#include <tesserec/core/error.hpp>

namespace tesserec::store {
namespace {

[[noreturn]] void fail_errno(const std::string& path, const char* action) {
  fail(path, ": cannot ", action, ": ", std::strerror(errno));
}

}  // namespace

void sync_path(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail_errno(path, "open it");
  const int code = ::fsync(file);
  const int reason = errno;
  ::close(file);
  errno = reason;
  // Some file systems refuse to sync a folder; they have nothing to wait for.
  if (code != 0 && reason != EINVAL) fail_errno(path, "write it to the disk");
}

void write_durably(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) fail_errno(path, "create it");
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) != 0 || !written) fail_errno(path, "write it");
  sync_path(path);
}

void rename_durably(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) fail_errno(from, ("rename it to " + to).c_str());
  const std::string folder = std::filesystem::path(to).parent_path().string();
  sync_path(folder.empty() ? "." : folder);
}

}  // namespace tesserec::store
