// SPDX-License-Identifier: Apache-2.0
/// Keys and blocks of a deck, for people: the rows that parse them say this of themselves.
#pragma once

#include <string>
#include <vector>

namespace tesserec::schema {

struct KeyInfo {
  std::string name;           ///< "batch_size"
  std::string type;           ///< "integer", "number", "true or false", "text", "choice", "list of ..."
  std::string default_value;  ///< as TOML; "required" where there is none
  std::string range;          ///< "1 to 65536", "sum | mean"; may be empty
  std::string unit;           ///< may be empty
  std::string sentence;
};

struct BlockInfo {
  std::string path;     ///< "train", "data.synthetic", "plan.tables.NAME"
  std::string heading;  ///< as it stands in a deck: "[train]", "[[table]]"
  std::string sentence;
  std::vector<KeyInfo> keys;
};

/// Returns what a key takes by name: "dot", "cat"; "true", "false"; empty where its values have no names.
std::vector<std::string> choices_of(const KeyInfo& key);

}  // namespace tesserec::schema
