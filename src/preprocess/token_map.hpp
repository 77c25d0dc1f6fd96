// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/core/mixed_bits.hpp>
#include <tesserec/raw/feature_form.hpp>

namespace tesserec::preprocess {

class TokenBatch;

/// Token with its hash and its first bytes.
struct HashedToken {
  std::string_view text;
  std::uint64_t head = 0;  ///< first 8 bytes in memory, behind a shorter text zeros
  std::uint64_t hash = 0;

  template <class Text>
  requires std::convertible_to<const Text&, std::string_view> HashedToken(const Text& of)
      : text(of), head(head_of(text)), hash(hash_of(text, head)) {}  // implicit, so that functions take texts, too
  HashedToken(std::string_view of, std::uint64_t its_head) : text(of), head(its_head), hash(hash_of(of, its_head)) {}
  HashedToken(std::string_view of, std::uint64_t its_head, std::uint64_t its_hash)
      : text(of), head(its_head), hash(its_hash) {}

  static std::uint64_t head_of(std::string_view text) {
    std::uint64_t head = 0;
    if (text.size() >= sizeof head) {
      std::memcpy(&head, text.data(), sizeof head);
    } else {
      char bytes[sizeof head] = {};
      for (std::size_t i = 0; i < text.size(); ++i) bytes[i] = text[i];
      std::memcpy(&head, bytes, sizeof head);
    }
    return head;
  }
  static std::uint64_t hash_of(std::string_view text, std::uint64_t head) {
    return text.size() > sizeof head ? raw::token_hash(text) : mixed_bits(head + text.size());
  }
};

/// Hash map from distinct texts to their numbers in the order of insertion, with open addressing and one byte array.
class TokenMap {
 public:
  /// Memory of a token besides its text, bytes, at most: four buckets and an offset.
  static constexpr Index token_memory = 4 * 16 + Index{sizeof(Index)};

  Index size() const { return std::ssize(offsets_) - 1; }
  std::string_view token(Index i) const {
    return std::string_view(bytes_.data() + offsets_[i], offsets_[i + 1] - offsets_[i]);
  }
  /// Returns the number of the token, or -1.
  Index find(const HashedToken& token) const;
  /// Fetches what find() and insert() read first of the token, so that several lookups overlap.
  [[gnu::always_inline]] void prefetch(const HashedToken& token) const {
    if (!buckets_.empty()) __builtin_prefetch(&buckets_[token.hash & (buckets_.size() - 1)]);
  }
  /// Inserts the token if it is new. Returns its number, which is the previous size() for a new token. Throws Error
  /// beyond 2^32 - 1 tokens.
  Index insert(const HashedToken& token) {
    if (!buckets_.empty())
      if (const Bucket& first = buckets_[token.hash & (buckets_.size() - 1)]; first.number != none && is(first, token))
        return first.number;
    return insert_behind(token);
  }
  /// Removes all tokens, and keeps the memory.
  void clear();
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
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// Entry of the hash table. It has the token's first bytes, so that a short token costs one random memory access, and
  /// 16 bytes, so that this access stays inside a cache line.
  struct Bucket {
    std::uint64_t head = 0;
    std::uint32_t length = 0;     ///< low 32 bits of the token's length, bytes
    std::uint32_t number = none;  ///< none = the bucket is free
  };
  static_assert(token_memory == 4 * Index{sizeof(Bucket)} + Index{sizeof(Index)});
  /// Returns whether a bucket that is not free has the token.
  bool is(const Bucket& bucket, const HashedToken& token) const {
    return bucket.head == token.head && bucket.length == std::uint32_t(token.text.size()) &&
           (token.text.size() <= sizeof token.head || this->token(bucket.number) == token.text);
  }
  Index insert_behind(const HashedToken& token);
  std::size_t bucket(const HashedToken& token) const;
  void rehash(std::size_t buckets);

  std::vector<char> bytes_;
  std::vector<Index> offsets_ = {0};
  std::vector<Bucket> buckets_;  ///< hash table; its size is a power of two
};

/// Calls take(i) for each token, in order, and fetches what `map` reads first of the tokens a few calls before.
template <class Take>
void for_each_fetched(const TokenMap& map, std::span<const std::string_view> tokens, const Take& take) {
  constexpr std::size_t ahead = 16;  // lookups whose memory accesses overlap
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i + ahead < tokens.size()) map.prefetch(tokens[i + ahead]);
    take(i);
  }
}

/// Tokens and the number of occurrences of each.
struct TokenCounts {
  TokenMap tokens;
  std::vector<Index> counts;

  void add(const HashedToken& token, Index count = 1) {
    const std::size_t i = tokens.insert(token);
    if (i == counts.size()) begin_count();
    counts[i] += count;
  }
  /// Counts the values of a batch that were fetched, and appends 1 + the number of each to `numbers`, 0 for a missing
  /// one.
  void add(const TokenBatch& batch, std::vector<std::uint32_t>& numbers);
  /// Removes all tokens, and keeps the memory.
  void clear() {
    tokens.clear();
    counts.clear();
  }
  /// Returns the memory that is allocated, bytes; 0 without tokens.
  Index memory() const { return tokens.size() == 0 ? 0 : tokens.memory() + Index(counts.capacity() * sizeof(Index)); }

 private:
  void begin_count();
};

}  // namespace tesserec::preprocess
