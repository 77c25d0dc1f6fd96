// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "value.hpp"

namespace tesserec::deck {

/// Puts "block.key=value" into the tree; its place is `where`. The schema judges it when the tree is read.
void apply_override(Value& root, const std::string& text, const std::string& where);

}  // namespace tesserec::deck
