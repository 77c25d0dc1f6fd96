// SPDX-License-Identifier: Apache-2.0
#include "pending_tokens.hpp"

namespace tesserec::preprocess {

void PendingTokens::resolve(const Vocabulary& vocabulary) {
  ids_.assign(std::size_t(tokens_.size()), 0);
  if (tokens_.size() == 0) return;
  vocabulary.read_outside([&](Index id, std::span<const std::string_view> tokens) {
    constexpr std::size_t ahead = 16;  // lookups whose memory accesses overlap
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (i + ahead < tokens.size()) tokens_.prefetch(tokens[i + ahead]);
      if (const Index number = tokens_.find(tokens[i]); number >= 0) ids_[std::size_t(number)] = id + Index(i);
    }
  });
}

}  // namespace tesserec::preprocess
