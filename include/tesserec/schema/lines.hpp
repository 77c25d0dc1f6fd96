// SPDX-License-Identifier: Apache-2.0
/// Keys and their places in the text that a deck was read from.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <tesserec/schema/key_info.hpp>

namespace tesserec::schema {

/// "table.C1.rows" and its value as TOML.
struct KeyValue {
  std::string key, value;
};

/// Places of a deck's keys, for messages.
struct Lines {
  std::string file;                                ///< name used in messages
  std::map<std::string, std::string> lines;        ///< "model.bottom" -> "adult.toml:12" or "--set 1"
  std::vector<KeyValue> given;                     ///< what file and overrides set
  const std::vector<BlockInfo>* blocks = nullptr;  ///< all that such a deck may hold; null = it was not read

  /// Returns how messages about `key` begin, "adult.toml:12: model.bottom"; else with its block's line or the file.
  std::string at(const std::string& key) const;
  /// Adds the line of the key that a message begins with ("data.train: ..."); leaves other messages as they are.
  std::string located(const std::string& message) const;
};

}  // namespace tesserec::schema
