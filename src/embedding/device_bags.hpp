// SPDX-License-Identifier: Apache-2.0
/// Bags and shards as kernels see them.
#pragma once

#include <span>
#include <vector>

#include "bag_uploads.hpp"
#include <tesserec/core/device_loops.hpp>
#include <tesserec/core/upload.hpp>
#include <tesserec/embedding/asked_shard.hpp>

namespace tesserec::embedding {

/// A shard: the memory of its rows, each `dim` numbers, and the blocks that its owner has.
struct DeviceShard {
  float* weights;
  float* states[3];       // as optim::states(type) lists them
  float* dense_gradient;  // [rows, dim]; null but for the dense kernel
  Index first_row;        // at slot 0, where slots follow rows
  Index blocks_begin, blocks_end;
  BlockOf block_of;
};

/// Float offsets of a bag's sums and gradient. Rows that are not pooled are copied, each to a place of its own.
struct DeviceBag {
  Index sums, gradient;                       // no sums: -1
  std::int32_t sums_stride, gradient_stride;  // copied: from an id to the next
  std::int32_t shard;
  std::int32_t lane : 31;
  std::uint32_t copied : 1;
  TESSEREC_FUNCTION Index gradient_of(Index id) const { return gradient + (copied ? id * gradient_stride : 0); }
};

/// The bags of a batch, in the order in which the law adds gradients: run, sample, feature, position.
struct BagArrays {
  Index bags = 0, ids_count = 0;
  const Index* begins = nullptr;   // [bags + 1], into ids
  const DeviceBag* at = nullptr;   // [bags]
  const Index* ids = nullptr;      // rows of the logical table
  const Index* slots = nullptr;    // parallel to ids; null = id - first row
  const float* weights = nullptr;  // null = 1
  const DeviceShard* shards = nullptr;

  TESSEREC_FUNCTION Index slot(Index i, const DeviceShard& shard) const {
    return slots == nullptr ? ids[i] - shard.first_row : slots[i];
  }
};

/// The bags of a batch for several shards of one dim, in the order of BagArrays.
class DeviceBags {
 public:
  /// `shards`: the tables where kernels read them.
  DeviceBags(std::vector<const EmbeddingTable*> tables, const DeviceShard* shards) : uploads_(std::move(tables)) {
    arrays_.shards = shards;
  }

  /// Brings the lookups asked of each shard to the device.
  void read(const Device& exec, std::span<const AskedShard* const> asked, const BatchSplit& split);

  const BagArrays& arrays() const { return arrays_; }
  Index longest() const { return sent_.longest; }
  /// All sums, and gradients, begin where a quad may.
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
