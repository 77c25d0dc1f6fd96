// SPDX-License-Identifier: Apache-2.0
/// What a deck may hold, for people: the same table that parses it.
#pragma once

#include <string>
#include <vector>

#include <tesserec/schema/key_info.hpp>

namespace tesserec::deck {

using schema::BlockInfo;
using schema::choices_of;
using schema::KeyInfo;

/// All blocks and keys, in the order of the documentation.
const std::vector<BlockInfo>& schema();

/// Returns what holds for every deck, as Markdown without headings.
const std::string& reading_rules();

/// docs/deck.md, and what `tesserec describe` prints.
std::string describe_markdown();
std::string describe_text();

}  // namespace tesserec::deck
