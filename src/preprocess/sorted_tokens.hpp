// SPDX-License-Identifier: Apache-2.0
/// Tokens in the order of their ids, on scratch files, and the sort that makes them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "token_runs.hpp"
#include <tesserec/comm/communicator.hpp>

namespace tesserec::preprocess {

class ScratchFolder;

/// Consecutive tokens of one feature on a scratch file.
struct TokenPiece {
  std::string path;
  ScratchPiece piece;
  Index tokens = 0;      ///< number of tokens
  Index bytes = 0;       ///< bytes of their texts
  Index count = 0;       ///< count of the first token, the largest
  Index first = 0;       ///< number of the first token among those of the feature
  Index first_byte = 0;  ///< bytes of the feature's tokens before it

  Index end() const { return first + tokens; }
  Index end_byte() const { return first_byte + bytes; }
};

/// Tokens of one feature that get ids, by count, largest first, then by bytes.
struct FeatureTokens {
  std::vector<TokenPiece> pieces;  ///< in order
  Index values = 0;                ///< different tokens that were counted, also those without an id
  Index known = 0;                 ///< of these, tokens that had an id before
  Index collisions = 0;            ///< different hashes that share their id with another, if hashed into rows

  Index tokens() const { return pieces.empty() ? 0 : pieces.back().end(); }
  Index bytes() const { return pieces.empty() ? 0 : pieces.back().end_byte(); }
};

/// Reads a piece and calls take() for its tokens, in order. Throws Error for a damaged file.
void read_tokens(const TokenPiece& piece, const std::function<void(std::span<const std::string_view>)>& take);

/// Beginnings of the names of the scratch files that a sort writes: tokens by partition, of use only to the sort, and
/// in order.
inline constexpr const char* partition_files = "partitions-";
inline constexpr const char* token_files = "tokens-";

/// Limits of a sort.
struct TokenSort {
  std::span<const FeatureForm> forms;
  Index minimum_count = 1;  ///< tokens with smaller counts get no id
  Index memory = 0;         ///< memory of this rank, bytes
  /// Returns whether a token of feature f has an id already.
  std::function<bool(std::size_t f, std::string_view)> has_id;
};

/// Adds up the counts of all runs and sorts the tokens that get ids. Each rank takes a share of the partitions, then,
/// between splitters from samples of all ranks, a share of the order. The result does not depend on the ranks, except
/// for where the pieces are cut. Collective.
std::vector<FeatureTokens> sort_tokens(const comm::Communicator& comm, std::span<const TokenRun> runs,
                                       const ScratchFolder& scratch, const TokenSort& sort);

/// Packs the description of sorted tokens for a footer, with the names of their files, and reads it back for the folder
/// in which the files are now.
std::string pack_tokens(std::span<const FeatureTokens> tokens);
std::vector<FeatureTokens> unpack_tokens(std::string_view bytes, const ScratchFolder& scratch);

}  // namespace tesserec::preprocess
