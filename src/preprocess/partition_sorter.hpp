// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scratch_file.hpp"
#include "sorted_tokens.hpp"
#include "token_runs.hpp"

namespace tesserec::preprocess {

/// Place of a token in the order of the ids. It has the token's first bytes, so that a sort seldom reads the texts.
class TokenRank {
 public:
  TokenRank(Index count, std::string_view token) : count_(count), head_(head_of(token)), token_(token) {}

  Index count() const { return count_; }
  std::string_view token() const { return token_; }
  /// Returns the first 8 bytes of the token, padded with zeros, as a number in the order of the texts.
  std::uint64_t head() const { return head_; }
  bool operator<(const TokenRank& other) const {
    if (count_ != other.count_) return count_ > other.count_;
    return head_ != other.head_ ? head_ < other.head_ : token_ < other.token_;
  }

 private:
  static std::uint64_t head_of(std::string_view token) {
    std::uint64_t head = 0;
    if (token.size() >= sizeof head && std::endian::native == std::endian::little) {
      std::memcpy(&head, token.data(), sizeof head);
      return __builtin_bswap64(head);
    }
    for (std::size_t i = 0; i < sizeof head; ++i)
      head = head << 8 | (i < token.size() ? std::uint8_t(token[i]) : std::uint8_t{0});
    return head;
  }

  Index count_;
  std::uint64_t head_;
  std::string_view token_;
};

/// Sorted tokens of some partitions, of which the first one is a sample of the order.
struct SortedPiece {
  std::size_t feature = 0;
  std::size_t group = 0;  ///< number, in its file, of the group of tokens that were sorted together
  Index count = 0;        ///< count of the first token
  std::string token;      ///< the first token
  Index tokens = 0;
  std::string path;
  ScratchPiece piece;

  TokenRank first() const { return TokenRank(count, token); }
};

/// Counted tokens of one feature.
struct TokenList {
  std::string texts;          ///< one behind another
  std::vector<Index> ends;    ///< ends of the tokens in texts
  std::vector<Index> counts;  ///< of the tokens

  void add(std::string_view token, Index count) {
    texts.append(token);
    ends.push_back(std::ssize(texts));
    counts.push_back(count);
  }
  /// Returns a token with its count, valid until the list changes.
  TokenRank rank(std::size_t i) const {
    const Index begin = i == 0 ? 0 : ends[i - 1];
    return TokenRank(counts[i], std::string_view(texts).substr(std::size_t(begin), std::size_t(ends[i] - begin)));
  }
};

/// Returns the tokens in the order of their ids.
std::vector<TokenRank> sorted(const TokenList& tokens);

/// Adds up a rank's partitions of the tokens and writes them in order, group by group.
class PartitionSorter {
 public:
  /// Takes runs and limits, which must outlive this object, and the path of the scratch file to write.
  PartitionSorter(std::span<const TokenRun> runs, const TokenSort& sort, std::string path);

  /// Sorts the partitions [first, last): as many at once as fit into the memory, and a larger one in several passes,
  /// each of which takes a share of its tokens.
  void add(std::size_t first, std::size_t last);
  /// Seals the file and returns its pieces.
  std::vector<SortedPiece> finish();
  /// Returns the number of different tokens of each feature [F].
  std::vector<Index>& values() { return values_; }
  /// Returns how many of them have an id already (TokenSort::has_id) [F].
  std::vector<Index>& known() { return known_; }
  /// Returns the number of hashes that share their id with another of each feature [F].
  std::vector<Index>& collisions() { return collisions_; }

 private:
  Index bytes_of(std::size_t partition) const;
  std::size_t end_of_group(std::size_t first, std::size_t last, Index most) const;
  void sort_share(const TokenShare& share);
  void take(std::size_t f, const TokenCounts& counts, TokenList& list);
  void write_sorted(std::size_t f, const TokenList& list);

  std::span<const TokenRun> runs_;
  const TokenSort& sort_;
  ScratchWriter file_;
  std::vector<Index> values_, known_, collisions_;
  std::size_t groups_ = 0;
  std::vector<SortedPiece> pieces_;
};

}  // namespace tesserec::preprocess
