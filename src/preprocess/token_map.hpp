// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <tesserec/core/index.hpp>
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
  /// Hashes a text: a short one by the halves of a product of 128 bits, in a few cycles.
  static std::uint64_t hash_of(std::string_view text, std::uint64_t head) {
    if (text.size() > sizeof head) return raw::token_hash(text);
    __extension__ using Wide = unsigned __int128;
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15u;  // has about as many ones as zeros
    const Wide product = Wide{head + text.size()} * odd;
    return std::uint64_t(product) ^ std::uint64_t(product >> 64);
  }
};

/// Hash map from distinct texts to their numbers in the order of insertion, with open addressing and one byte array.
class TokenMap {
 public:
  /// Memory of a token besides its text, bytes, at most: three buckets and an offset.
  static constexpr Index token_memory = 3 * 16 + Index{sizeof(Index)};

  Index size() const { return std::ssize(offsets_) - 1; }
  std::string_view token(Index i) const {
    return std::string_view(bytes_.data() + offsets_[i], offsets_[i + 1] - offsets_[i]);
  }
  /// Returns the number of the token, or -1.
  Index find(const HashedToken& token) const {
    if (bucket_count_ == 0) return -1;
    return Index{buckets_[place(token)].number} - 1;
  }
  /// Fetches what find() and insert() read first of tokens with a hash, so that several lookups overlap.
  [[gnu::always_inline]] void prefetch(std::uint64_t hash) const {
    if (bucket_count_ > 0) __builtin_prefetch(&buckets_[hash & (bucket_count_ - 1)]);
  }
  /// Inserts the token if it is new. Returns its number, which is the previous size() for a new token. Throws Error
  /// beyond 2^32 - 2 tokens.
  Index insert(const HashedToken& token) { return Index{bucket(token).number} - 1; }
  /// Removes all tokens, and keeps the memory.
  void clear();
  /// Reserves memory for `size` tokens of `bytes` bytes together.
  void reserve(Index size, Index bytes);
  /// Returns the memory that is allocated, bytes.
  Index memory() const {
    return Index(bytes_.capacity() + offsets_.capacity() * sizeof(Index) + bucket_count_ * sizeof(Bucket));
  }

  /// Returns the concatenated tokens.
  const std::vector<char>& bytes() const { return bytes_; }
  /// Returns the offsets [size + 1]. Token i is bytes [offsets[i], offsets[i + 1]).
  const std::vector<Index>& offsets() const { return offsets_; }

 private:
  friend struct TokenCounts;
  static constexpr std::size_t line_bytes = 64;  ///< bytes of a cache line

  /// Entry of the hash table. It has the token's first bytes and its count, so that a short token costs one random
  /// memory access, and 16 bytes, so that this access stays inside a cache line. All zeros: it is free.
  struct Bucket {
    static constexpr int form_bits = 4;
    static constexpr std::uint32_t most_count = ~std::uint32_t{0} >> form_bits;

    std::uint64_t head = 0;
    std::uint32_t number = 0;          ///< 1 + the token's number
    std::uint32_t form_and_count = 0;  ///< form of the token in the lowest bits; above them the count of TokenCounts

    std::uint32_t form() const { return form_and_count % (1U << form_bits); }
    std::uint32_t count() const { return form_and_count >> form_bits; }
    void add(std::uint32_t count) { form_and_count += count << form_bits; }
  };
  static_assert(token_memory == 3 * Index{sizeof(Bucket)} + Index{sizeof(Index)});

  /// Returns what a bucket has of a token's length: 1 + that of one which fits the head, else one more.
  static std::uint32_t form_of(std::size_t length) {
    return std::uint32_t(std::min(length, sizeof(Bucket::head) + 1)) + 1;
  }
  /// Returns the bucket of a token that fits the head, if it is in the cache line at which place() looks first, else
  /// null. Most tokens of a log are there, and this takes few instructions.
  [[gnu::always_inline]] Bucket* bucket_in_first_line(std::uint64_t hash, std::uint64_t head,
                                                      std::size_t length) const {
    constexpr std::size_t in_line = line_bytes / sizeof(Bucket);
    if (bucket_count_ == 0 || length > sizeof head) return nullptr;
    Bucket* const line = buckets_ + (hash & (bucket_count_ - in_line));
    for (std::size_t i = 0; i < in_line; ++i)
      if (Bucket& bucket = line[(hash + i) % in_line]; bucket.head == head && bucket.form() == form_of(length))
        return &bucket;
    return nullptr;
  }
  /// Returns the place of the bucket that has the token, or of the free one that is to have it. The buckets of a cache
  /// line are looked at first, from the token's own on, then those of the next line.
  std::size_t place(const HashedToken& token) const {
    constexpr std::size_t in_line = line_bytes / sizeof(Bucket);
    const std::uint32_t form = form_of(token.text.size());
    for (std::size_t line = token.hash & (bucket_count_ - in_line);; line = (line + in_line) & (bucket_count_ - 1))
      for (std::size_t i = 0; i < in_line; ++i) {
        const std::size_t at = line | ((token.hash + i) & (in_line - 1));
        const Bucket& bucket = buckets_[at];
        if (bucket.number == 0) return at;
        if (bucket.head == token.head && bucket.form() == form &&
            (token.text.size() <= sizeof token.head || this->token(Index{bucket.number} - 1) == token.text))
          return at;
      }
  }
  /// Returns the token's bucket, with a number; inserts the token if it is new.
  Bucket& bucket(const HashedToken& token) {
    if (bucket_count_ > 0)
      if (Bucket& found = buckets_[place(token)]; found.number != 0) return found;
    return insert_new(token);
  }
  /// Does so without code in its caller, for calls that are few.
  [[gnu::noinline]] Bucket& bucket_anywhere(const HashedToken& token) { return bucket(token); }
  Bucket& insert_new(const HashedToken& token);
  void rehash(std::size_t buckets);

  std::vector<char> bytes_;
  std::vector<Index> offsets_ = {0};
  std::unique_ptr<void, decltype(&std::free)> memory_{nullptr, &std::free};
  Bucket* buckets_ = nullptr;     ///< hash table [bucket_count_] in memory_, from a cache line on
  std::size_t bucket_count_ = 0;  ///< a power of two, at least 16, or 0
};

/// Calls take(i) for each token, in order, and fetches what `map` reads first of the tokens a few calls before.
template <class Take>
void for_each_fetched(const TokenMap& map, std::span<const std::string_view> tokens, const Take& take) {
  constexpr std::size_t ahead = 16;  // lookups whose memory accesses overlap
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i + ahead < tokens.size()) map.prefetch(HashedToken(tokens[i + ahead]).hash);
    take(i);
  }
}

/// Tokens and the number of occurrences of each.
struct TokenCounts {
  TokenMap tokens;

  void add(const HashedToken& token, Index count = 1) { add(tokens.bucket(token), count); }
  /// Counts the values of a batch that were fetched, and appends 1 + the number of each to `numbers`, 0 for a missing
  /// one.
  void add(const TokenBatch& batch, std::vector<std::uint32_t>& numbers);
  /// Returns the counts of all tokens, by number.
  std::vector<Index> counts() const;
  /// Removes all tokens, and keeps the memory.
  void clear() {
    tokens.clear();
    large_.clear();
  }
  /// Returns the memory that is allocated, and that counts() takes, bytes; 0 without tokens.
  Index memory() const { return tokens.size() == 0 ? 0 : tokens.memory() + tokens.size() * Index{sizeof(Index)}; }

 private:
  void add(TokenMap::Bucket& bucket, Index count) {
    if (Index{bucket.count()} + count <= Index{TokenMap::Bucket::most_count})
      bucket.add(std::uint32_t(count));
    else
      large_[bucket.number - 1] += count;
  }

  std::map<std::uint32_t, Index> large_;  ///< parts of counts that do not fit the buckets, by number
};

}  // namespace tesserec::preprocess
