// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include <tesserec/schema/key_info.hpp>

namespace tesserec::schema {

std::vector<std::string> choices_of(const KeyInfo& key) {
  if (key.type == "true or false") return {"true", "false"};
  if (key.type.find("choice") == std::string::npos) return {};
  const std::string before = "one of ";
  const std::size_t at = key.range.find(before);
  std::istringstream range(at == std::string::npos ? key.range : key.range.substr(at + before.size()));
  std::vector<std::string> names;
  for (std::string word; range >> word;)
    if (word != "|") names.push_back(word);
  return names;
}

}  // namespace tesserec::schema
