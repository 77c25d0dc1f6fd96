// SPDX-License-Identifier: Apache-2.0
/// What a deck may hold, for people: the same table that parses it.
#pragma once

#include <string>
#include <vector>

namespace tesserec::deck {

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

/// All blocks and keys, in the order of the documentation.
const std::vector<BlockInfo>& schema();

/// Returns what a key takes by name: "dot", "cat"; "true", "false"; empty where its values have no names.
std::vector<std::string> choices_of(const KeyInfo& key);

/// Returns what holds for every deck, as Markdown without headings.
const std::string& reading_rules();

/// docs/deck.md, and what `tesserec describe` prints.
std::string describe_markdown();
std::string describe_text();

}  // namespace tesserec::deck
