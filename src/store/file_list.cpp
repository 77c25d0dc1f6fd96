// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <glob.h>
#include <sys/stat.h>

#include <tesserec/core/error.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/store/file_list.hpp>

namespace tesserec::store {
namespace {

constexpr const char* glob_characters = "*?[";

bool path_exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

/// Escapes the special characters of a pattern in each component whose literal name exists.
std::string escaped(const std::string& pattern) {
  std::string out;
  for (std::size_t begin = 0, end = 0; begin < pattern.size(); begin = end) {
    end = std::min(pattern.find('/', begin), pattern.size());
    const bool literal = path_exists(pattern.substr(0, end));
    if (end < pattern.size()) ++end;  // includes the slash
    for (const char c : std::string_view(pattern).substr(begin, end - begin)) {
      if (literal && std::string_view("*?[]\\").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

/// Returns device and inode, which are equal for two names of one file; nullopt without such a file.
std::optional<std::pair<dev_t, ino_t>> identity(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return std::pair(status.st_dev, status.st_ino);
}

}  // namespace

std::vector<std::string> matching_paths(const std::string& pattern) {
  if (path_exists(pattern)) return {pattern};
  if (pattern.find_first_of(glob_characters) == std::string::npos) return {};
  glob_t found{};
  const int code = ::glob(escaped(pattern).c_str(), GLOB_NOSORT | GLOB_ERR, nullptr, &found);
  const int error = errno;
  std::vector<std::string> paths(found.gl_pathv, found.gl_pathv + (code == 0 ? found.gl_pathc : 0));
  ::globfree(&found);
  if (code == GLOB_NOSPACE) fail(pattern, ": not enough memory to list its folder");
  if (code == GLOB_ABORTED && error != ENOENT) fail(pattern, ": cannot list its folder: ", std::strerror(error));
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<std::string> list_files(const std::vector<std::string>& patterns, const std::string& key) {
  std::vector<std::string> files;
  std::map<std::pair<dev_t, ino_t>, std::string> seen;
  for (const std::string& pattern : patterns) {
    const std::vector<std::string> paths = matching_paths(pattern);
    if (paths.empty() && pattern.find_first_of(glob_characters) != std::string::npos)
      fail(key, ": no file matches \"", pattern, "\"; check the path (it is relative to the working folder)");
    if (paths.empty())
      fail(key, ": ", pattern, ": there is no such file; check the path (it is relative to the working folder)");
    for (const std::string& path : paths) {
      if (const std::string fault = path_fault(path); !fault.empty())
        fail(key, ": ", printable_line(path), " is not a valid path: ", fault, "; rename the file");
      const auto file = identity(path);
      if (!file) fail_errno(path, "read its status");
      const auto [known, is_new] = seen.emplace(*file, path);
      if (!is_new && known->second == path) fail(key, " names \"", path, "\" twice; keep one of them");
      if (!is_new)
        fail(key, " names one file twice, as \"", known->second, "\" and as \"", path, "\"; keep one of them");
      files.push_back(path);
    }
  }
  return files;
}

std::vector<std::string> files_of_both(const std::vector<std::string>& patterns,
                                       const std::vector<std::string>& others) {
  std::map<std::pair<dev_t, ino_t>, std::string> known;
  for (const std::string& pattern : others)
    for (const std::string& path : matching_paths(pattern))
      if (const auto file = identity(path)) known.emplace(*file, path);
  std::vector<std::string> shared;
  for (const std::string& pattern : patterns)
    for (const std::string& path : matching_paths(pattern))
      if (const auto file = identity(path); file && known.count(*file) != 0) shared.push_back(path);
  return shared;
}

Stamp stamp_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) fail_errno(path, "open it");
  return {status.st_dev, status.st_ino, std::uint64_t(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

void require_unchanged(const std::string& path, const Stamp& stamp) {
  constexpr const char* advice = "; leave the files of a run alone until it ends, and start it again";
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 && errno == ENOENT) fail(path, " was removed while it was being read", advice);
  const Stamp current = stamp_of(path);
  if (current == stamp) return;
  const bool replaced = current.device != stamp.device || current.file != stamp.file;
  fail(path, replaced ? " was replaced by another file" : " was changed", " while it was being read", advice);
}

}  // namespace tesserec::store
