// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::data {

/// Distinct texts, numbered by first insertion. Open addressing; the bytes lie in one array.
class TokenMap {
 public:
  Index size() const { return std::ssize(offsets_) - 1; }
  std::string_view token(Index i) const {
    return std::string_view(bytes_.data() + offsets_[i], offsets_[i + 1] - offsets_[i]);
  }
  /// Number of the token, or -1.
  Index find(std::string_view token) const;
  /// Number of the token, which is new if it equals the size before.
  Index insert(std::string_view token);

  const std::vector<char>& bytes() const { return bytes_; }
  /// [size + 1]: token i is bytes [offsets[i], offsets[i + 1]).
  const std::vector<Index>& offsets() const { return offsets_; }

 private:
  /// First bytes of the token lie in the table itself: short tokens are found with one look into memory.
  struct Bucket {
    std::uint64_t head = 0;
    Index length = 0;
    Index number = -1;
  };
  static std::uint64_t head_of(std::string_view token);
  std::size_t bucket(std::string_view token, std::uint64_t head) const;
  void grow();

  std::vector<char> bytes_;
  std::vector<Index> offsets_ = {0};
  std::vector<Bucket> buckets_;  ///< a power of two of them
};

/// Tokens with how often each was seen.
struct TokenCounts {
  TokenMap tokens;
  std::vector<Index> counts;

  void add(std::string_view token, Index count = 1) {
    const std::size_t i = tokens.insert(token);
    if (i == counts.size()) counts.push_back(0);
    counts[i] += count;
  }
};

}  // namespace tesserec::data
