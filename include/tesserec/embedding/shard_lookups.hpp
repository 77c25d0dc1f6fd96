// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <tesserec/embedding/row_gradient.hpp>
#include <tesserec/embedding/table.hpp>

namespace tesserec::embedding {

/// Lookups of all ranks in one of this rank's shards, for one batch.
struct ShardLookups {
  ShardBags bags;                           ///< [run of samples][feature of the table]
  std::vector<std::vector<Nodes>> nodes;    ///< [run][feature] sums returned for each bag
  std::vector<std::vector<Index>> sums_at;  ///< [run][feature] float offset of the sums
  /// Gradient sums that will arrive if the shard is fetched. RowUse::row is an index among the ids of all runs, and a
  /// slot after pin().
  std::vector<RowUse> gradients;
  PinnedRows pinned;

  /// Empties the lists and makes them ready for `runs` runs of samples.
  void clear(Index runs);
  /// Pins all rows, and sets Bags::slots and the slots of `gradients`. Must be called once. `trains`: the batch counts
  /// for a table that grows (RowStore::pin_to_train).
  void pin(const Exec& exec, RowStore& store, bool trains);
};

}  // namespace tesserec::embedding
