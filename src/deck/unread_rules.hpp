// SPDX-License-Identifier: Apache-2.0
/// Rules that tell which keys of a deck nothing reads, block by block.
#pragma once

#include <string>
#include <vector>

#include <tesserec/deck/deck.hpp>

namespace tesserec::deck {

/// Key of a deck, and whether something reads it under the values of the other keys.
struct UnreadRule {
  std::string key;
  bool is_read;
  std::string reason;       ///< reason why nothing reads it, without a subject before it: "run.mlperf_log is empty"
  std::string remedy = {};  ///< way to make it read: "set run.mlperf_log"; empty = none
  std::string preset = {};  ///< value that needs no message; empty = the key's default
};

std::vector<UnreadRule> run_rules(const Deck& deck);
std::vector<UnreadRule> data_rules(const Deck& deck);
std::vector<UnreadRule> model_rules(const Deck& deck);      ///< rules of [model] and [[table]]
std::vector<UnreadRule> optimizer_rules(const Deck& deck);  ///< rules of [optimizer] and the tables' own optimizers
std::vector<UnreadRule> train_rules(const Deck& deck);      ///< rules of [train], [checkpoint] and [evaluate]
std::vector<UnreadRule> plan_rules(const Deck& deck);       ///< rules of [plan], without those of caches

}  // namespace tesserec::deck
