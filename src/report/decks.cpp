// SPDX-License-Identifier: Apache-2.0
#include "decks.hpp"

#include <set>
#include <sstream>

namespace tesserec::report {

// The program writes it: a line a key, each block under its heading.
std::map<std::string, std::string> keys_of(const std::string& deck) {
  std::map<std::string, std::string> keys;
  std::map<std::string, int> counts;
  std::string block;
  std::istringstream lines(deck);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("[[")) {
      block = line.substr(2, line.find(']') - 2);
      block += "[" + std::to_string(++counts[block]) + "]";
    } else if (line.starts_with("[")) {
      block = line.substr(1, line.find(']') - 1);
    } else if (const std::size_t equals = line.find(" = "); equals != std::string::npos) {
      keys[block + "." + line.substr(0, equals)] = line.substr(equals + 3);
    }
  }
  return keys;
}

std::vector<std::string> differing_keys(const std::vector<std::map<std::string, std::string>>& decks) {
  std::set<std::string> names;
  for (const auto& deck : decks)
    for (const auto& [name, value] : deck) names.insert(name);
  std::vector<std::string> differing;
  for (const std::string& name : names) {
    if (name == "run.name" || name == "run.output") continue;
    std::set<std::string> values;
    for (const auto& deck : decks) values.insert(deck.contains(name) ? deck.at(name) : "");
    if (values.size() > 1) differing.push_back(name);
  }
  return differing;
}

}  // namespace tesserec::report
