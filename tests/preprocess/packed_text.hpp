// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

namespace tesserec::test {

/// Returns the text as one zstd frame of blocks that are stored as they are (RFC 8878).
inline std::string zstd_stored(const std::string& text) {
  const auto little = [](std::size_t value, int bytes) {
    std::string out;
    for (int b = 0; b < bytes; ++b) out += char(value >> (8 * b));
    return out;
  };
  std::string frame = "\x28\xB5\x2F\xFD\xA0" + little(text.size(), 4);  // one segment, its size in 4 bytes
  std::size_t at = 0;
  do {
    const std::size_t size = std::min(text.size() - at, std::size_t{1} << 17);
    const std::size_t last = at + size == text.size() ? 1 : 0;
    frame += little(last + (size << 3), 3) + text.substr(at, size);
    at += size;
  } while (at < text.size());
  return frame;
}

}  // namespace tesserec::test
