// SPDX-License-Identifier: Apache-2.0
#include "pending_tokens.hpp"

namespace tesserec::preprocess {

void PendingTokens::resolve(const Vocabulary& vocabulary) {
  ids_.assign(std::size_t(tokens_.size()), 0);
  if (tokens_.size() == 0) return;
  vocabulary.read_outside([&](Index id, std::span<const std::string_view> tokens) {
    for_each_fetched(tokens_, tokens, [&](std::size_t i) {
      if (const Index number = tokens_.find(tokens[i]); number >= 0) ids_[std::size_t(number)] = id + Index(i);
    });
  });
}

}  // namespace tesserec::preprocess
