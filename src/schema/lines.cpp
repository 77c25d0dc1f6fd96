// SPDX-License-Identifier: Apache-2.0
#include <tesserec/schema/lines.hpp>

namespace tesserec::schema {

std::string Lines::at(const std::string& key) const {
  for (std::string path = key; !path.empty();) {
    if (const auto found = lines.find(path); found != lines.end()) return found->second + ": " + key;
    const std::size_t dot = path.rfind('.');
    path = dot == std::string::npos ? "" : path.substr(0, dot);
  }
  return (file.empty() ? "deck" : file) + ": " + key;
}

std::string Lines::located(const std::string& message) const {
  if (blocks == nullptr) return message;
  const std::string key = message.substr(0, message.find_first_of(": "));
  for (const BlockInfo& block : *blocks)
    for (const KeyInfo& info : block.keys)
      if (key == block.path + "." + info.name) return at(key) + message.substr(key.size());
  return message;
}

}  // namespace tesserec::schema
