// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "value.hpp"

namespace tesserec::deck {

/// Bytes of a deck at most.
inline constexpr std::size_t largest_deck = 1 << 20;

/// TOML text as a tree; every `where` is "name:line". Errors: "name:line: not valid TOML: ...", UTF-16, NUL bytes.
Value parse_toml(const std::string& text, const std::string& name);

/// Puts "block.key=value" into the tree; its place is `where`. The schema judges it when the tree is read.
void apply_override(Value& root, const std::string& text, const std::string& where);

}  // namespace tesserec::deck
