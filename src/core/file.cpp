// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <tesserec/core/error.hpp>
#include <tesserec/core/file.hpp>

namespace tesserec {

// Not a stream: that one tells no reason, and throws what is no Error where a folder is read.
std::string read_file(const std::string& path, const char* what, std::size_t most) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  std::string text;
  char block[1 << 14];
  std::size_t got = file ? 1 : 0;
  while (got > 0 && text.size() < most) {
    got = std::fread(block, 1, std::min(sizeof block, most - text.size()), file.get());
    text.append(block, got);
  }
  if (!file || std::ferror(file.get()) != 0) fail(path, ": cannot read ", what, ": ", std::strerror(errno));
  return text;
}

}  // namespace tesserec
