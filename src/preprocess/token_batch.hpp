// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "token_map.hpp"
#include <tesserec/core/error.hpp>

namespace tesserec::preprocess {

/// Entry of a TokenBatch.
struct BatchedToken {
  std::uint64_t head;
  std::uint64_t hash;
  std::uint32_t size;   ///< bytes; TokenBatch::missing_size of a missing value
  std::uint32_t place;  ///< offset of a text that does not fit the head among such texts
};

/// Values of one feature in a few rows, which are looked up together, so that their memory accesses overlap.
class TokenBatch {
 public:
  static constexpr std::uint32_t missing_size = std::numeric_limits<std::uint32_t>::max();

  /// Appends a copy of a value.
  [[gnu::always_inline]] void add(const std::optional<std::string_view>& token) {
    if (token && token->size() <= sizeof(std::uint64_t)) [[likely]] {
      const std::uint64_t head = HashedToken::head_of(*token);
      entries_.push_back({head, HashedToken::hash_of(*token, head), std::uint32_t(token->size()), 0});
    } else {
      add_other(token);
    }
  }
  void clear() {
    entries_.clear();
    long_.clear();
  }
  std::size_t size() const { return entries_.size(); }
  bool missing(std::size_t i) const { return entries_[i].size == missing_size; }
  const BatchedToken& entry(std::size_t i) const { return entries_[i]; }
  /// Fetches what a map reads first of each value. A prefetch waits for the translation of its address, so nothing else
  /// stands in the loop.
  void fetch(const TokenMap& map) const {
    for (const BatchedToken& entry : entries_) {
      map.prefetch(entry.hash);
      __asm__ volatile("");  // A compiler drops a loop that changes nothing.
    }
  }
  /// Returns a value that is not missing; valid until the batch changes.
  HashedToken operator[](std::size_t i) const { return {text(i), entries_[i].head, entries_[i].hash}; }

 private:
  /// Appends a missing value, or one that does not fit the head.
  [[gnu::noinline]] void add_other(const std::optional<std::string_view>& token) {
    if (!token) {
      entries_.push_back({0, 0, missing_size, 0});
      return;
    }
    const HashedToken hashed(*token);
    entries_.push_back({hashed.head, hashed.hash, std::uint32_t(token->size()), std::uint32_t(long_.size())});
    if (token->size() >= missing_size - long_.size())
      fail("a row has more than ", missing_size, " bytes of text in one column; cut its values before preprocess");
    long_.append(*token);
  }
  std::string_view text(std::size_t i) const {
    const BatchedToken& entry = entries_[i];
    const char* const text =
        entry.size > sizeof entry.head ? long_.data() + entry.place : reinterpret_cast<const char*>(&entry.head);
    return {text, entry.size};
  }

  std::vector<BatchedToken> entries_;
  std::string long_;  ///< texts that are longer than a head
};

/// Few rows whose values are looked up together.
struct WaitingRows {
  /// Number of rows. The processor has about as many memory accesses in flight. Values are fetched feature after
  /// feature, since it holds few translations of addresses in different tables: row after row took 8 ns a value more.
  static constexpr Index most_rows = 64;
  static constexpr std::size_t most_bytes = std::size_t{1} << 20;  ///< of values, where rows have long bags or texts

  explicit WaitingRows(std::size_t features) : values(features) {}
  bool full() const { return rows == most_rows || bytes >= most_bytes; }
  /// Appends copies of a row's values, one of each feature.
  void add(std::span<const std::optional<std::string_view>> row) {
    std::size_t size = 0;
    for (std::size_t f = 0; f < row.size(); ++f) {
      values[f].add(row[f]);
      size += sizeof(HashedToken) + (row[f] ? row[f]->size() : 0);
    }
    bytes += size;
  }
  /// Appends a copy of a value of a feature.
  void add(std::size_t feature, const std::optional<std::string_view>& token) {
    values[feature].add(token);
    bytes += sizeof(HashedToken) + (token ? token->size() : 0);
  }
  void clear() {
    for (TokenBatch& of_feature : values) of_feature.clear();
    numbers.clear();
    rows = 0;
    bytes = 0;
  }

  std::vector<TokenBatch> values;    ///< [F]
  std::vector<double> numbers;       ///< [rows, K] row-major
  std::vector<Index> ids;            ///< scratch: ids of one feature's values
  std::vector<std::uint32_t> found;  ///< scratch: their numbers in a map
  Index rows = 0;
  std::size_t bytes = 0;  ///< of values, about
};

}  // namespace tesserec::preprocess
