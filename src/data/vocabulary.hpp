// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "token_map.hpp"
#include <tesserec/comm/communicator.hpp>

namespace tesserec::data {

/// Map from token to id. Id 0: unknown or missing; the others by count in training, largest first, then token bytes.
class Vocabulary {
 public:
  /// Tokens seen less than minimum_count times get no id. `feature` names it in errors.
  Vocabulary(const std::string& feature, const TokenCounts& counts, Index minimum_count);
  /// Takes what bytes() and offsets() gave. Error: such as no vocabulary gives; `where` they stand.
  Vocabulary(const std::string& where, const std::vector<std::uint8_t>& bytes, const std::vector<Index>& offsets);

  /// Gives tokens without an id the ids behind those that there are, in the order of a new vocabulary.
  void extend(const std::string& feature, const TokenCounts& counts, Index minimum_count);

  /// Ids lie in [0, rows).
  Index rows() const { return tokens_.size() + 1; }
  std::int32_t id(const std::optional<std::string_view>& token) const {
    return token ? std::int32_t(tokens_.find(*token) + 1) : 0;
  }

  /// `id` from 1 on.
  std::string_view token(Index id) const { return tokens_.token(id - 1); }
  /// All tokens in id order, one after the other.
  const std::vector<char>& bytes() const { return tokens_.bytes(); }
  /// [rows + 1]: token of id i is bytes [offsets[i], offsets[i + 1]); that of id 0 has none.
  std::vector<Index> offsets() const;

 private:
  TokenMap tokens_;
};

/// The counts of all ranks together. Collective.
TokenCounts merge(const comm::Communicator& comm, const TokenCounts& mine);

}  // namespace tesserec::data
