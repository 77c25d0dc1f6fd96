// SPDX-License-Identifier: Apache-2.0
// From the schema, for each key of a deck: a deck and a second value that the key takes in it.
#pragma once

#include <string>
#include <vector>

#include <tesserec/deck.hpp>

namespace tesserec::test {

/// `deck` with the overrides `common` is valid, and with `other` behind them too.
struct OtherValue {
  std::string key;   ///< of the schema, "table.rows"
  std::string path;  ///< in the deck, "table.C1.rows"
  std::size_t deck = 0;
  std::vector<std::string> common;
  std::string other;  ///< "table.C1.rows=7"
};

/// Decks in which between them every block stands.
const std::vector<std::string>& decks_with_every_block();

/// In the order of the schema, a key for which no other value was found left out.
std::vector<OtherValue> other_values();

}  // namespace tesserec::test
