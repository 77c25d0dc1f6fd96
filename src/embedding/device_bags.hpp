// SPDX-License-Identifier: Apache-2.0
/// Bags and shards as kernels read them.
#pragma once

#include <span>
#include <vector>

#include "bag_uploads.hpp"
#include <tesserec/core/device_loops.hpp>
#include <tesserec/core/upload.hpp>
#include <tesserec/embedding/shard_lookups.hpp>

namespace tesserec::embedding {

/// Shard on a device: addresses of its rows [slots, dim] and states, and the row blocks of its owner.
struct DeviceShard {
  void* weights;          // in the table's format
  float* states[3];       // in the order of optim::states(type)
  float* dense_gradient;  // [rows, dim]; null unless the kernel is dense
  Index first_row;        // row at slot 0, if the store is ordered
  const Index* rows;      // row at each slot, if the store keeps the list (RowStore::rows_of_slots); else null
  Index first_quad;       // number of the first four columns, in the logical row
  Index blocks_begin, blocks_end;
  BlockOf block_of;
};

/// Bag with the float offsets of its sums and gradient. Un-pooled rows are copied, each to its own offset.
struct DeviceBag {
  Index sums, gradient;                       // sums: -1 = no sum
  std::int32_t sums_stride, gradient_stride;  // if copied: floats from one id to the next
  std::int32_t shard;
  std::int32_t lane : 31;
  std::uint32_t copied : 1;
  TESSEREC_FUNCTION Index gradient_of(Index id) const { return gradient + (copied ? id * gradient_stride : 0); }
};

/// Bags of a batch, in the order in which the law adds gradients: run, sample, feature, position.
struct BagArrays {
  Index bags = 0, ids_count = 0;
  const Index* begins = nullptr;   // [bags + 1] into ids
  const DeviceBag* at = nullptr;   // [bags]
  const Index* ids = nullptr;      // rows of the logical table
  const Index* slots = nullptr;    // parallel to ids; null = id - first row
  const float* weights = nullptr;  // null = 1
  const DeviceShard* shards = nullptr;

  TESSEREC_FUNCTION Index slot(Index i, const DeviceShard& shard) const {
    return slots == nullptr ? ids[i] - shard.first_row : slots[i];
  }
};

/// Bags of a batch for several shards of equal dim, in the order of BagArrays.
class DeviceBags {
 public:
  /// Takes the tables and their shards in the memory of kernels.
  DeviceBags(std::vector<const EmbeddingTable*> tables, const DeviceShard* shards) : uploads_(std::move(tables)) {
    arrays_.shards = shards;
  }

  /// Uploads the lookups of each shard and puts them into the order of BagArrays.
  void read(const Device& exec, std::span<const ShardLookups* const> lookups, const BatchSplit& split);

  const BagArrays& arrays() const { return arrays_; }
  Index longest() const { return sent_.longest; }
  /// Returns whether every sum (gradient) begins at a multiple of 4 floats.
  bool whole_sums() const { return sent_.whole_sums; }
  bool whole_gradients() const { return sent_.whole_gradients; }

 private:
  BagUploads uploads_;
  SentBags sent_;
  BagArrays arrays_;
  DeviceVector<Index> begins_, sources_, ids_, slots_;
  DeviceVector<DeviceBag> at_;
  DeviceVector<float> weights_;
};

}  // namespace tesserec::embedding
