// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "value.hpp"

namespace tesserec::deck {

/// Puts "block.key=value" into the tree; its place is "--set number". The schema judges it when the tree is
/// read.
void apply_override(Value& root, const std::string& text, std::size_t number);

}  // namespace tesserec::deck
