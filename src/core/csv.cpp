// SPDX-License-Identifier: Apache-2.0
#include <tesserec/core/csv.hpp>

namespace tesserec {

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

}  // namespace tesserec
