// SPDX-License-Identifier: Apache-2.0
/// Description of a deck's blocks and keys for people, from the table that parses them.
#pragma once

#include <string>
#include <vector>

#include <tesserec/schema/key_info.hpp>

namespace tesserec::deck {

using schema::BlockInfo;
using schema::choices_of;
using schema::KeyInfo;

/// Returns all blocks and keys, in the order of the documentation.
const std::vector<BlockInfo>& schema();

/// Returns the rules that apply to every deck, as Markdown without headings.
const std::string& reading_rules();

/// Returns the text of docs/deck.md, which `tesserec describe --markdown` prints.
std::string describe_markdown();
/// Returns the text that `tesserec describe` prints.
std::string describe_text();

}  // namespace tesserec::deck
