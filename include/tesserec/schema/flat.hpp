// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <tesserec/schema/lines.hpp>
#include <tesserec/schema/value.hpp>

namespace tesserec::schema {

/// Tree as one line a key, named as by --set: "table.C1.rows" of [[table]] C1; "schedule.stages.0.value" if unnamed.
class Flat {
 public:
  void add(const Value& value, const std::string& path = "");

  std::vector<KeyValue> keys;  ///< in the order in which they came

 private:
  void add_blocks(const Value& list, const std::string& path);

  std::map<std::string, int> counts_;  ///< blocks of a path so far
  std::set<std::string> names_;
};

}  // namespace tesserec::schema
