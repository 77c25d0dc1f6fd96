// SPDX-License-Identifier: Apache-2.0
#include "log_tail.hpp"

#include <algorithm>
#include <fstream>

#include "svg.hpp"

namespace tesserec::report {

std::deque<std::string> log_tail(const std::string& path) {
  constexpr std::size_t most_lines = 12, most_letters = 500;
  constexpr std::streamoff most_bytes = 1 << 16;
  std::deque<std::string> lines;
  std::ifstream in(path, std::ios::ate);
  const std::streamoff size = in.tellg();
  if (size <= 0) return lines;
  in.seekg(std::max(std::streamoff{0}, size - most_bytes));
  for (std::string line; std::getline(in, line);) {
    lines.push_back(shortened(line, most_letters));
    if (lines.size() > most_lines) lines.pop_front();
  }
  return lines;
}

std::string last_message(const std::string& path) {
  const std::string head = "tesserec: ";
  std::string message;
  for (const std::string& line : log_tail(path))
    if (line.starts_with(head)) message = line.substr(head.size());
  return message;
}

}  // namespace tesserec::report
