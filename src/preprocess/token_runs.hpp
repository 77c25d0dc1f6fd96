// SPDX-License-Identifier: Apache-2.0
/// Token counts on scratch files, cut into partitions by the tokens' hashes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "scratch_file.hpp"
#include "token_map.hpp"
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/feature_form.hpp>

namespace tesserec::preprocess {

/// Number of partitions of the tokens. All counts of one token are in one partition, as are all hashes of one id, so
/// that a rank can add up one partition after the other, each a small share of the whole.
inline constexpr std::size_t token_partitions = 1024;

/// Counts that one rank wrote when its memory was full.
struct TokenRun {
  std::string path;
  std::vector<ScratchPiece> pieces;  ///< piece of each partition [token_partitions]
};

/// Appends the counts of all features to a file and clears them.
TokenRun write_run(ScratchWriter& file, std::vector<TokenCounts>& counts, std::span<const FeatureForm> forms);

/// Tokens of the partitions [first, last); where there are several passes, one share of them by hash.
struct TokenShare {
  std::size_t first = 0, last = token_partitions;
  Index pass = 0, passes = 1;
};

/// Adds the counts of a share of the tokens to those of all features. Throws Error for a damaged file.
void read_run(const TokenRun& run, const TokenShare& share, std::span<const FeatureForm> forms,
              std::vector<TokenCounts>& counts);

/// Returns the memory of all counts, bytes.
Index memory_of(std::span<const TokenCounts> counts);

}  // namespace tesserec::preprocess
