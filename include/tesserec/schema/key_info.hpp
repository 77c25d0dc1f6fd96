// SPDX-License-Identifier: Apache-2.0
/// Descriptions of a deck's keys and blocks for people, taken from the rows that parse them.
#pragma once

#include <string>
#include <vector>

namespace tesserec::schema {

/// Description of a key.
struct KeyInfo {
  std::string name;           ///< "batch_size"
  std::string type;           ///< "integer", "number", "true or false", "text", "choice", "list of ..."
  std::string default_value;  ///< default as TOML; "required" if there is none
  std::string range;          ///< "1 to 65536", "sum | mean"; may be empty
  std::string unit;           ///< may be empty
  std::string sentence;
};

/// Description of a block.
struct BlockInfo {
  std::string path;     ///< "train", "data.synthetic", "plan.tables.NAME"
  std::string heading;  ///< heading in a deck: "[train]", "[[table]]"
  std::string sentence;
  std::vector<KeyInfo> keys;
};

/// Returns the names of the values that a key takes, such as "dot", "cat" or "true", "false". Returns none if its
/// values have no names.
std::vector<std::string> choices_of(const KeyInfo& key);

}  // namespace tesserec::schema
