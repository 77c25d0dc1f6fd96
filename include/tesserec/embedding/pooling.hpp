// SPDX-License-Identifier: Apache-2.0
/// Bags of a table's shard, and their sums by row blocks.
#pragma once

#include <memory>
#include <vector>

#include <tesserec/core/number_type.hpp>
#include <tesserec/embedding/block_of.hpp>

namespace tesserec::embedding {

/// Bags of one feature over consecutive samples that a rank asks of an owner. Ids are rows of the logical table.
struct Bags {
  Index first_sample = 0;          ///< first sample of the run, in the global batch
  Index count = 0;                 ///< number of bags
  const Index* offsets = nullptr;  ///< [count + 1] into ids
  const Index* ids = nullptr;
  const Index* slots = nullptr;    ///< parallel to ids: slot of each id's row; null = id - first row
  const float* weights = nullptr;  ///< parallel to ids; null = 1
  Index gradients_at = 0;          ///< float offset of the first gradient
  bool unpooled = false;           ///< each id has its own sum (its row) and its own gradient
  /// Floats from the sum (gradient) of a bag, or of an un-pooled id, to the next one. 0 = dense sums (gradients),
  /// without a place for empty bags.
  Index sums_stride = 0, gradients_stride = 0;
  /// [count] Samples that have these bags, ascending and relative to first_sample; null = all samples. Other samples
  /// have no ids, and no place for a sum or gradient. All features of a run of samples share the list.
  const std::int32_t* samples = nullptr;

  /// Returns the sample of a bag, counted in the global batch.
  Index sample(Index bag) const { return first_sample + (samples == nullptr ? bag : samples[bag]); }

  Index length(Index bag) const { return offsets[bag + 1] - offsets[bag]; }
  /// Returns the slot of ids[i]. `first_row` is the row at slot 0 of an ordered store.
  Index slot(Index i, Index first_row) const { return slots == nullptr ? ids[i] - first_row : slots[i]; }
  Index total() const { return count == 0 ? 0 : offsets[count] - offsets[0]; }
};

/// Sums of bags that the owner of some row blocks returns: one per whole subtree that holds an id of the bag. A bag
/// without ids has none, and the owner of a whole table returns at most one. Un-pooled bags have one sum per id,
/// without leaves.
struct Nodes {
  std::vector<Index> offsets;  ///< [bags + 1] positions of each bag's sums; empty = one sum a bag
  std::vector<Index> leaves;   ///< [sums] a block below each subtree; empty = first_leaf for all
  Index first_leaf = 0;

  /// Returns the position of a bag's first sum, or, for the number of bags, the number of sums.
  Index begin(Index bag) const { return offsets.empty() ? bag : offsets[bag]; }
  Index leaf(Index sum) const { return leaves.empty() ? first_leaf : leaves[sum]; }
};

/// Lists the sums that the owner of `blocks` returns for each bag. The asking rank and the owner both compute the list
/// from the ids.
Nodes subtree_nodes(const BlockOf& block_of, Range blocks, const Bags& bags);

/// Rows of a shard in the host's memory.
struct ShardRows {
  BlockOf block_of;
  Range blocks;      ///< blocks of the shard
  const void* data;  ///< [slots, dim]
  Index first_row;   ///< row at slot 0, if Bags::slots is null
  Index dim;
  NumberType format = NumberType::fp32;  ///< format of the data, which are widened as they are read
};

/// Buffers of pool() for one thread at a time, so that later calls for bags of no more ids allocate nothing.
class PoolBuffers {
 public:
  PoolBuffers();
  PoolBuffers(PoolBuffers&&) noexcept;
  ~PoolBuffers();

  struct BagScratch;
  BagScratch& scratch() { return *scratch_; }

 private:
  std::unique_ptr<BagScratch> scratch_;
};

/// Writes the sums of the bags in `range` to out[node, dim], or to out[bag] if Bags::sums_stride is set (0 for empty
/// bags). Inside a block rows are added in bag order with fma from +0, and blocks by the fixed tree. Un-pooled rows are
/// copied unchanged.
void pool(const ShardRows& rows, const Bags& bags, const Nodes& nodes, Range range, float* out);
void pool(const ShardRows& rows, const Bags& bags, const Nodes& nodes, Range range, float* out, PoolBuffers& buffers);

}  // namespace tesserec::embedding
