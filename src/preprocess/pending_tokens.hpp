// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "token_map.hpp"
#include "vocabulary.hpp"

namespace tesserec::preprocess {

/// Tokens of a block of rows whose ids are outside of the memory. All of them get their ids in one pass over the
/// vocabulary's files.
class PendingTokens {
 public:
  /// Returns a negative number that stands for the token until resolve().
  Index add(const HashedToken& token) { return -1 - tokens_.insert(token); }
  /// Finds the ids of all tokens.
  void resolve(const Vocabulary& vocabulary);
  /// Returns the id that a number of add() stands for; 0 if the token is unknown.
  Index id(Index number) const { return ids_[std::size_t(-1 - number)]; }
  /// Returns the token that a number of add() stands for.
  std::string_view token(Index number) const { return tokens_.token(-1 - number); }
  Index size() const { return tokens_.size(); }
  Index memory() const { return tokens_.memory() + Index(ids_.capacity() * sizeof(Index)); }

 private:
  TokenMap tokens_;
  std::vector<Index> ids_;
};

}  // namespace tesserec::preprocess
