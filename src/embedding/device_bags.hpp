// SPDX-License-Identifier: Apache-2.0
/// Bags and shards as kernels see them, and the lookup of all bags of some shards of one dim at once.
#pragma once

#include <span>
#include <vector>

#include "quad.hpp"
#include "sort_keys.hpp"
#include <tesserec/core/device.hpp>
#include <tesserec/embedding/asked_shard.hpp>
#include <tesserec/embedding/row_blocks.hpp>

namespace tesserec::embedding {

/// A shard: rows [first_row ...) of a table, each `dim` numbers, and the blocks that its owner has.
struct DeviceShard {
  float* weights;
  float* states[3];       // as optim::states(type) lists them
  float* dense_gradient;  // [rows, dim]; null but for the dense kernel
  Index first_row;
  Index blocks_begin, blocks_end;
  RowBlocks blocks;
};

/// Where the sums of a bag go and its gradient comes from: float offsets. One id of a feature that is not pooled is a
/// bag whose row is copied.
struct DeviceBag {
  Index sums, gradient;
  std::int32_t shard;
  std::int32_t lane : 31;
  std::uint32_t copied : 1;
};

/// An id of a bag in the order of its row blocks: the row, whether it is copied, the height at which the next one's
/// block meets its own.
struct OrderedId {
  std::uint64_t bits;
  TESSEREC_FUNCTION static OrderedId of(Index row, bool copied, int height) {
    return {std::uint64_t(row) << 7 | std::uint64_t(copied) << 6 | std::uint64_t(height)};
  }
  TESSEREC_FUNCTION Index row() const { return Index(bits >> 7); }
  TESSEREC_FUNCTION bool copied() const { return bits >> 6 & 1; }
  TESSEREC_FUNCTION int height() const { return int(bits & 63); }
};

/// The bags of a batch, in the order in which the law adds gradients: sample, feature, position.
struct BagArrays {
  Index bags = 0, ids_count = 0;
  const Index* begins = nullptr;   // [bags + 1], into ids
  const DeviceBag* at = nullptr;   // [bags]
  const Index* ids = nullptr;      // rows of the logical table
  const float* weights = nullptr;  // null = 1
  const DeviceShard* shards = nullptr;
};

/// Of several shards of one dim: bags that came, ordered and looked up.
class DeviceBags {
 public:
  explicit DeviceBags(std::vector<const EmbeddingTable*> tables);

  /// What was asked of each shard, which is not kept.
  void read(const Device& exec, std::span<const AskedShard* const> asked, const BatchSplit& split);

  /// Sums of all bags to sums[DeviceBag::sums + columns].
  void lookup(const Device& exec, float* sums);

  const BagArrays& arrays() const { return arrays_; }
  const DeviceShard* shards() const { return arrays_.shards; }
  /// All gradients begin where a quad may.
  bool whole_gradients() const { return whole_gradients_; }

 private:
  void order(const Device& exec);
  template <bool whole>
  void pool(const Device& exec, float* sums);

  std::vector<const EmbeddingTable*> tables_;
  Index dim_;
  BagArrays arrays_;
  Index longest_ = 0;  // bag
  bool whole_sums_ = true, whole_gradients_ = true;
  Upload<DeviceShard> shards_;
  Upload<Index> begins_, ids_;
  Upload<DeviceBag> at_;
  Upload<float> weights_;
  DeviceVector<std::uint16_t> blocks_;  // of each id
  DeviceVector<OrderedId> ordered_;
  DeviceVector<float> ordered_weights_;
  struct {
    DeviceVector<std::uint64_t> keys, sorted;
    DeviceVector<std::uint32_t> places;
    KeySort sort;
  } long_;  // where a bag is long
};

}  // namespace tesserec::embedding
