// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "scratch_file.hpp"
#include "sorted_tokens.hpp"
#include "token_runs.hpp"

namespace tesserec::preprocess {

/// Place of a token in the order of the ids.
struct TokenRank {
  Index count = 0;
  std::string_view token;

  bool operator<(const TokenRank& other) const { return std::tie(other.count, token) < std::tie(count, other.token); }
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

  TokenRank first() const { return {count, token}; }
};

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
  /// Returns the number of hashes that share their id with another of each feature [F].
  std::vector<Index>& collisions() { return collisions_; }

 private:
  Index bytes_of(std::size_t partition) const;
  void sort_share(const TokenShare& share);
  void write_sorted(std::size_t f, const TokenCounts& counts);

  std::span<const TokenRun> runs_;
  const TokenSort& sort_;
  ScratchWriter file_;
  std::vector<Index> values_, collisions_;
  std::size_t groups_ = 0;
  std::vector<SortedPiece> pieces_;
};

}  // namespace tesserec::preprocess
