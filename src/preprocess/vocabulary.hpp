// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sorted_tokens.hpp"
#include "token_map.hpp"

namespace tesserec::preprocess {

/// Map from tokens to ids. Id 0 means unknown or missing. The others are sorted by training count, then by bytes. The
/// map has the first ids, which are the frequent ones, in memory, and the others, if any, on scratch files.
class Vocabulary {
 public:
  Vocabulary() = default;
  /// Takes the results of bytes() and offsets(). Throws Error, naming their place `where`, if they form no vocabulary.
  Vocabulary(const std::string& where, const std::vector<std::uint8_t>& bytes, const std::vector<Index>& offsets);

  /// Appends sorted tokens, which have no id yet. Their first `resident` pieces come into memory.
  void append(const FeatureTokens& tokens, std::size_t resident);

  /// Returns the upper bound of the ids, exclusive.
  Index rows() const { return tokens_.size() + outside_ + 1; }
  /// Returns the bytes of all tokens.
  Index bytes() const;
  /// Returns the upper bound of the ids in memory, exclusive.
  Index resident_rows() const { return tokens_.size() + 1; }
  /// Returns whether all ids are in memory.
  bool resident() const { return outside_ == 0; }
  /// Returns the id of a token in memory, or 0 if it is unknown or outside of the memory.
  Index id(const HashedToken& token) const { return tokens_.find(token) + 1; }
  /// Returns the map of the tokens in memory.
  const TokenMap& resident_tokens() const { return tokens_; }
  /// Returns the token of an id in memory, from 1 on.
  std::string_view token(Index id) const { return tokens_.token(id - 1); }

  /// Calls take(first id, tokens) for each piece outside of the memory, in order.
  void read_outside(const std::function<void(Index, std::span<const std::string_view>)>& take) const;

 private:
  friend class VocabularyReader;
  TokenMap tokens_;
  std::vector<TokenPiece> pieces_;  ///< pieces outside of the memory, in order
  Index outside_ = 0;               ///< tokens in them
};

/// Reader of a vocabulary as datasets store it: /vocabulary/<feature>/tokens and /offsets of docs/formats.md.
class VocabularyReader {
 public:
  /// Takes a vocabulary that must outlive this object.
  explicit VocabularyReader(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  /// Copies bytes [range] of the concatenated tokens.
  void tokens(Range range, char* to);
  /// Copies offsets [range]: the token of id i is bytes [offsets[i], offsets[i + 1]); id 0 has none.
  void offsets(Range range, Index* to);

 private:
  /// Tokens of one piece in memory.
  struct Loaded {
    std::size_t piece = std::size_t(-1);
    std::string bytes;
    std::vector<Index> ends;  ///< ends of the tokens in the whole
  };
  const Loaded& load(std::size_t piece);

  const Vocabulary& vocabulary_;
  Loaded loaded_;
};

/// Returns how many pieces of each feature to hold in `memory` bytes: all, or the most frequent ones, at least one.
std::vector<std::size_t> resident_pieces(std::span<const FeatureTokens> tokens, Index memory);

}  // namespace tesserec::preprocess
