// SPDX-License-Identifier: Apache-2.0
/// Pages of the documentation as tests read them, and the texts that they are compared with.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "source_dir.hpp"
#include <tesserec/deck/schema.hpp>

namespace page {

namespace fs = std::filesystem;
inline const std::string root = TESSEREC_SOURCE_DIR;

inline std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Returns the text of all files below a folder.
inline std::string text_below(const std::string& folder) {
  std::string all;
  for (const auto& entry : fs::recursive_directory_iterator(root + "/" + folder))
    if (entry.is_regular_file()) all += text_of(entry.path());
  return all;
}

/// Returns the cells of a table's line, which begins and ends with a bar.
inline std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> found;
  std::istringstream in(line.substr(1));
  for (std::string cell; std::getline(in, cell, '|');) found.push_back(cell);
  return found;
}

/// Returns the texts between backticks.
inline std::vector<std::string> words(const std::string& cell) {
  std::vector<std::string> found;
  for (std::size_t at = cell.find('`'); at != std::string::npos;) {
    const std::size_t end = cell.find('`', at + 1);
    if (end == std::string::npos) break;
    found.push_back(cell.substr(at + 1, end - at - 1));
    at = cell.find('`', end + 1);
  }
  return found;
}

inline const tesserec::deck::KeyInfo* key_info(const std::string& path) {
  for (const auto& block : tesserec::deck::schema())
    for (const auto& key : block.keys)
      if (path == block.path + "." + key.name ||
          (block.path == "optimizer.sparse" && path == "table.optimizer." + key.name))
        return &key;
  return nullptr;
}

/// Returns the lines from a heading to the next.
inline std::string section(const std::string& page, const std::string& heading) {
  const std::size_t begin = page.find(heading + "\n");
  return begin == std::string::npos ? "" : page.substr(begin, page.find("\n## ", begin + 1) - begin);
}

}  // namespace page
