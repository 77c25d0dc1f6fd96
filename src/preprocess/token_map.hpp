// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::preprocess {

/// Hash map from distinct texts to their numbers in the order of insertion, with open addressing and one byte array.
class TokenMap {
 public:
  Index size() const { return std::ssize(offsets_) - 1; }
  std::string_view token(Index i) const {
    return std::string_view(bytes_.data() + offsets_[i], offsets_[i + 1] - offsets_[i]);
  }
  /// Returns the number of the token, or -1.
  Index find(std::string_view token) const;
  /// Fetches what find() and insert() read first of the token, so that lookups of a row's tokens overlap.
  void prefetch(std::string_view token) const {
    if (!buckets_.empty()) __builtin_prefetch(&buckets_[std::hash<std::string_view>()(token) & (buckets_.size() - 1)]);
  }
  /// Inserts the token if it is new. Returns its number, which is the previous size() for a new token.
  Index insert(std::string_view token);
  /// Reserves memory for `size` tokens of `bytes` bytes together.
  void reserve(Index size, Index bytes);
  /// Returns the memory that is allocated, bytes.
  Index memory() const {
    return Index(bytes_.capacity() + offsets_.capacity() * sizeof(Index) + buckets_.capacity() * sizeof(Bucket));
  }

  /// Returns the concatenated tokens.
  const std::vector<char>& bytes() const { return bytes_; }
  /// Returns the offsets [size + 1]. Token i is bytes [offsets[i], offsets[i + 1]).
  const std::vector<Index>& offsets() const { return offsets_; }

 private:
  /// Entry of the hash table. It has the token's first bytes, so that a short token costs one random memory access.
  struct Bucket {
    std::uint64_t head = 0;
    Index length = 0;
    Index number = -1;
  };
  static std::uint64_t head_of(std::string_view token);
  std::size_t bucket(std::string_view token, std::uint64_t head) const;
  void rehash(std::size_t buckets);

  std::vector<char> bytes_;
  std::vector<Index> offsets_ = {0};
  std::vector<Bucket> buckets_;  ///< hash table; its size is a power of two
};

/// Tokens and the number of occurrences of each.
struct TokenCounts {
  TokenMap tokens;
  std::vector<Index> counts;

  void add(std::string_view token, Index count = 1) {
    const std::size_t i = tokens.insert(token);
    if (i == counts.size()) counts.push_back(0);
    counts[i] += count;
  }
  /// Returns the memory that is allocated, bytes; 0 without tokens.
  Index memory() const { return tokens.size() == 0 ? 0 : tokens.memory() + Index(counts.capacity() * sizeof(Index)); }
};

}  // namespace tesserec::preprocess
