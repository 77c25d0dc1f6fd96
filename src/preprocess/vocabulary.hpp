// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "token_map.hpp"
#include <tesserec/comm/communicator.hpp>

namespace tesserec::preprocess {

/// Map from tokens to ids. Id 0 means unknown or missing. The others are sorted by training count, then by bytes.
class Vocabulary {
 public:
  /// Takes the tokens that occur at least minimum_count times. Errors name `feature`.
  Vocabulary(const std::string& feature, const TokenCounts& counts, Index minimum_count);
  /// Takes the results of bytes() and offsets(). Throws Error, naming their place `where`, if they form no vocabulary.
  Vocabulary(const std::string& where, const std::vector<std::uint8_t>& bytes, const std::vector<Index>& offsets);

  /// Appends the tokens that have no id and occur at least minimum_count times, in the order of a new vocabulary.
  /// Throws Error if ids exceed 32 bits.
  void extend(const std::string& feature, const TokenCounts& counts, Index minimum_count);

  /// Returns the upper bound of the ids, exclusive.
  Index rows() const { return tokens_.size() + 1; }
  /// Returns the id of a token, or 0 if it is unknown or missing.
  std::int32_t id(const std::optional<std::string_view>& token) const {
    return token ? std::int32_t(tokens_.find(*token) + 1) : 0;
  }

  /// Fetches what id() reads first of the token.
  void prefetch(std::string_view token) const { tokens_.prefetch(token); }

  /// Returns the token of an id from 1 on.
  std::string_view token(Index id) const { return tokens_.token(id - 1); }
  /// Returns the concatenated tokens, in the order of their ids.
  const std::vector<char>& bytes() const { return tokens_.bytes(); }
  /// Returns the offsets [rows + 1]. The token of id i is bytes [offsets[i], offsets[i + 1]); id 0 has no bytes.
  std::vector<Index> offsets() const;

 private:
  TokenMap tokens_;
};

/// Sums the token counts of all ranks. Collective.
TokenCounts merge(const comm::Communicator& comm, const TokenCounts& local);

}  // namespace tesserec::preprocess
