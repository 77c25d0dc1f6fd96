// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <tesserec/embedding/row_gradient.hpp>
#include <tesserec/embedding/table.hpp>

namespace tesserec::embedding {

/// The lookups that all ranks ask of one of this rank's shards for one batch.
struct AskedShard {
  ShardBags bags;                           ///< [run of samples][feature of the table]
  std::vector<std::vector<Nodes>> nodes;    ///< the sums returned for each
  std::vector<std::vector<Index>> sums_at;  ///< float offset of each one's sums
  /// Sums of gradients that will come if rows travel. RowUse::row counts the ids of all runs; pinned, it is a slot.
  std::vector<RowUse> gradients;
  PinnedRows pinned;

  void clear(Index runs);
  /// Makes all rows resident and sets Bags::slots, once.
  void pin(const Exec& exec, RowStore& store);
};

}  // namespace tesserec::embedding
