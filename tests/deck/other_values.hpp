// SPDX-License-Identifier: Apache-2.0
// Second values of keys, found from the schema: for each key, a deck and another value that the key takes in it.
#pragma once

#include <string>
#include <vector>

#include <tesserec/deck.hpp>

namespace tesserec::test {

/// Another value of a key. `deck` is valid with the overrides `common`, and also with `other` after them.
struct OtherValue {
  std::string key;   ///< in the schema, "table.rows"
  std::string path;  ///< in the deck, "table.C1.rows"
  std::size_t deck = 0;
  std::vector<std::string> common;
  std::string other;  ///< "table.C1.rows=7"
};

/// Returns decks that together have every block.
const std::vector<std::string>& decks_with_every_block();

/// Returns other values in the order of the schema, except for keys for which none was found.
std::vector<OtherValue> other_values();

}  // namespace tesserec::test
