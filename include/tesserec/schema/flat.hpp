// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <tesserec/schema/lines.hpp>
#include <tesserec/schema/value.hpp>

namespace tesserec::schema {

/// Flat list of a tree's keys, named as --set names them: "table.C1.rows" for [[table]] C1, "schedule.stages.0.value"
/// for unnamed blocks.
class Flat {
 public:
  /// Appends the keys of `value`, whose names begin with `path`.
  void add(const Value& value, const std::string& path = "");

  std::vector<KeyValue> keys;  ///< keys in the order of their addition

 private:
  void add_blocks(const Value& list, const std::string& path);

  std::map<std::string, int> counts_;  ///< blocks of a path so far
  std::set<std::string> names_;
};

}  // namespace tesserec::schema
