// SPDX-License-Identifier: Apache-2.0
/// The bags of a table's shard, and their sums by row blocks.
#pragma once

#include <vector>

#include <tesserec/embedding/block_of.hpp>

namespace tesserec::embedding {

/// Bags of one feature over consecutive samples, which a rank asks of an owner. Ids are rows of the logical table.
struct Bags {
  Index first_sample = 0;          ///< of the run, in the global batch
  Index count = 0;                 ///< bags
  const Index* offsets = nullptr;  ///< [count + 1] into ids
  const Index* ids = nullptr;
  const Index* slots = nullptr;    ///< parallel to ids: each one's row of the memory looked up; null = id - first row
  const float* weights = nullptr;  ///< parallel to ids; null = 1
  Index gradients_at = 0;          ///< float offset of the first gradient
  bool unpooled = false;           ///< each id has a sum, its row, and a gradient of its own
  /// Floats from a bag's sum (gradient) to the next bag's, or un-pooled id's; 0 = no gaps, no place for empty bags.
  Index sums_stride = 0, gradients_stride = 0;
  /// [count] ascending: the samples that have these bags, counted from the first one; null = all. Those that are left
  /// out have no ids, and no place for a sum or gradient. The features of a run of samples share it.
  const std::int32_t* samples = nullptr;

  /// Returns the sample of a bag, in the global batch.
  Index sample(Index bag) const { return first_sample + (samples == nullptr ? bag : samples[bag]); }

  Index length(Index bag) const { return offsets[bag + 1] - offsets[bag]; }
  /// Returns the slot of id i, where a store in order has `first_row` at slot 0.
  Index slot(Index i, Index first_row) const { return slots == nullptr ? ids[i] - first_row : slots[i]; }
  Index total() const { return count == 0 ? 0 : offsets[count] - offsets[0]; }
};

/// Sums of a bag that the owner of some row blocks returns: one a whole subtree that holds an id. A bag without ids has
/// none, and the owner of a whole table returns at most one. Un-pooled: one an id, without leaves.
struct Nodes {
  std::vector<Index> offsets;  ///< [bags + 1]
  std::vector<Index> leaves;   ///< a block below each subtree
};

/// Lists the sums that the owner of `blocks` returns for each bag. Both sides compute the list from the ids.
Nodes subtree_nodes(const BlockOf& block_of, Range blocks, const Bags& bags);

/// The rows of a shard in the host's memory.
struct ShardRows {
  BlockOf block_of;
  Range blocks;       ///< the shard's
  const float* data;  ///< [slots, dim]
  Index first_row;    ///< where Bags::slots is null: the row at slot 0
  Index dim;
};

/// Writes the sums of the bags in `range` to out[node, dim], or with a stride to out[bag] (0 without ids), by the law:
/// in a block in bag order with fma from +0, blocks by the fixed tree. Un-pooled: rows, as they are.
void pool(const ShardRows& rows, const Bags& bags, const Nodes& nodes, Range range, float* out);

}  // namespace tesserec::embedding
