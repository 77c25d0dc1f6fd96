// SPDX-License-Identifier: Apache-2.0
/// Keys and their positions in the text of a deck.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <tesserec/schema/key_info.hpp>

namespace tesserec::schema {

/// Key, such as "table.C1.rows", and its value as TOML.
struct KeyValue {
  std::string key, value;
};

/// Positions of a deck's keys, for messages.
struct Lines {
  std::string file;                                ///< name of the deck in messages
  std::map<std::string, std::string> lines;        ///< "model.bottom" -> "adult.toml:12" or "--set 1"
  std::map<std::string, std::string> places;       ///< "preprocess.column.age" -> "preprocess.column.3" in `lines`
  std::vector<KeyValue> given;                     ///< keys that the file and overrides set
  const std::vector<BlockInfo>* blocks = nullptr;  ///< blocks that such a deck may hold; null = not read from a deck

  /// Returns the beginning of messages about `key`: "adult.toml:12: model.bottom". If the key has no line it uses the
  /// line of its block, of the first one if it may occur several times, or else the file alone.
  std::string at(const std::string& key) const;
  /// Adds the line of the key or of the repeated block with which a message begins ("data.train: ...",
  /// "preprocess.join.1.file ...", "preprocess.column age: ...", "plan.tables.C1.ranks: ..."). Returns other messages
  /// unchanged.
  std::string located(const std::string& message) const;

 private:
  std::string where(const std::string& key) const;
  std::string key_of_repeated(const BlockInfo& block, std::string_view message) const;
};

}  // namespace tesserec::schema
