// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>

#include "value.hpp"
#include <tesserec/deck/deck.hpp>

namespace tesserec::deck {

/// Writes trees as one line a key, with the names that --set takes: "table.C1.rows" of the block [[table]] with that
/// name, "schedule.stages.0.value" where blocks have none.
class Flat {
 public:
  void add(const Value& value, const std::string& path = "");

  std::vector<KeyValue> keys;  ///< in the order in which they came

 private:
  void add_blocks(const Value& list, const std::string& path);

  std::map<std::string, int> counts_;  ///< blocks of a path so far
  std::set<std::string> names_;
};

}  // namespace tesserec::deck
