// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <tesserec/core/error.hpp>
#include <tesserec/core/file.hpp>

namespace tesserec {

// C's functions set errno. A stream gives no reason, and throws an exception other than Error if `path` is a folder.
std::string read_file(const std::string& path, const char* noun, std::size_t max_bytes) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  std::string text;
  char block[1 << 14];
  std::size_t got = file ? 1 : 0;
  while (got > 0 && text.size() < max_bytes) {
    got = std::fread(block, 1, std::min(sizeof block, max_bytes - text.size()), file.get());
    text.append(block, got);
  }
  if (!file || std::ferror(file.get()) != 0) fail(path, ": cannot read ", noun, ": ", std::strerror(errno));
  return text;
}

}  // namespace tesserec
