// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <iterator>

#include "tests/fuzz/hdf5_pieces.hpp"

namespace tesserec::test {

struct Crafted {
  std::string name;
  std::function<void(const std::string& path)> write;
  bool damaged = false;  ///< bytes were changed at random: the file may still read as before
};

inline std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
/// Returns files whose bytes were changed or truncated.
inline std::vector<Crafted> damaged_files() {
  std::vector<Crafted> all;
  const auto damaged = [&all](const std::string& name, bool by_luck, const std::function<void(std::string&)>& change) {
    all.push_back({name,
                   [=](const std::string& path) {
                     write_foreign(path, true);
                     std::string bytes = content_of(path);
                     change(bytes);
                     std::ofstream(path, std::ios::binary) << bytes;
                   },
                   by_luck});
  };
  for (int twentieth = 0; twentieth < 20; ++twentieth)
    damaged("cut at " + std::to_string(twentieth) + "/20", false,
            [=](std::string& bytes) { bytes.resize(bytes.size() * std::size_t(twentieth) / 20); });
  for (const char* block : {"GCOL", "SNOD", "TREE", "HEAP"})
    for (std::size_t byte = 0; byte < 40; byte += block == std::string("GCOL") ? 1 : 4)
      damaged(std::string(block) + " byte " + std::to_string(byte), true, [=](std::string& bytes) {
        for (std::size_t at = bytes.find(block); at != std::string::npos; at = bytes.find(block, at + 4))
          if (at + byte < bytes.size()) bytes[at + byte] = char(bytes[at + byte] ^ 0xff);
      });
  for (std::size_t byte = 8; byte < 96; byte += 4)
    damaged("superblock byte " + std::to_string(byte), true, [=](std::string& bytes) { bytes[byte] = char(~bytes[byte]); });
  return all;
}

}  // namespace tesserec::test
