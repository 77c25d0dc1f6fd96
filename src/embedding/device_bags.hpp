// SPDX-License-Identifier: Apache-2.0
/// Bags and shards as kernels see them, and the lookup of all bags of some shards of one dim at once.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "quad.hpp"
#include "sort_keys.hpp"
#include <tesserec/core/device_list.hpp>
#include <tesserec/core/device_loops.hpp>
#include <tesserec/core/upload.hpp>
#include <tesserec/embedding/asked_shard.hpp>

namespace tesserec::embedding {

/// A shard: the memory of its rows, each `dim` numbers, and the blocks that its owner has.
struct DeviceShard {
  float* weights;
  float* states[3];       // as optim::states(type) lists them
  float* dense_gradient;  // [rows, dim]; null but for the dense kernel
  Index first_row;        // at place 0, where places follow rows
  Index blocks_begin, blocks_end;
  BlockOf block_of;
};

/// Where the sums of a bag go and its gradient comes from: float offsets. The rows of one that is not pooled are
/// copied, each to a place of its own.
struct DeviceBag {
  Index sums, gradient;                       // no sums: -1
  std::int32_t sums_stride, gradient_stride;  // copied: from an id to the next
  std::int32_t shard;
  std::int32_t lane : 31;
  std::uint32_t copied : 1;
  TESSEREC_FUNCTION Index gradient_of(Index id) const { return gradient + (copied ? id * gradient_stride : 0); }
};

/// Bags as they came: those of a feature for a run of samples. What is sent beside it: offsets, ids, numbers of sums.
struct DeviceFeature {
  Index offsets, ids;                   // where its [samples + 1] offsets, and its ids, begin
  Index sums, sums_stride;              // floats; from a sum to the next
  Index gradients, gradients_stride;    // the same
  Index sums_before, gradients_before;  // where their [samples] numbers begin, of all bags before; -1: one a bag
  bool unpooled;
};
/// A run of samples, for features of a shard.
struct DeviceRun {
  Index first_bag, first_id;  // of the batch
  Index first_feature, features;
  Index first_sample;
  std::int32_t shard;
};

/// An id of a bag in the order of its row blocks: the place of its row, whether it is copied, the height at which the
/// next one's block meets its own.
struct OrderedId {
  std::uint64_t bits;
  TESSEREC_FUNCTION static OrderedId of(Index place, bool copied, int height) {
    return {std::uint64_t(place) << 7 | std::uint64_t(copied) << 6 | std::uint64_t(height)};
  }
  TESSEREC_FUNCTION Index place() const { return Index(bits >> 7); }
  TESSEREC_FUNCTION bool copied() const { return bits >> 6 & 1; }
  TESSEREC_FUNCTION int height() const { return int(bits & 63); }
};

/// The bags of a batch, in the order in which the law adds gradients: run, sample, feature, position.
struct BagArrays {
  Index bags = 0, ids_count = 0;
  const Index* begins = nullptr;   // [bags + 1], into ids
  const DeviceBag* at = nullptr;   // [bags]
  const Index* ids = nullptr;      // rows of the logical table
  const Index* places = nullptr;   // parallel to ids; null = id - first row
  const float* weights = nullptr;  // null = 1
  const DeviceShard* shards = nullptr;

  TESSEREC_FUNCTION Index place(Index i, const DeviceShard& shard) const {
    return places == nullptr ? ids[i] - shard.first_row : places[i];
  }
};

/// A whole list of the host; where kernels read it.
template <class From, class T>
const T* upload(const Device& exec, Upload<T>& to, const std::string& label, const From& from) {
  std::copy(from.begin(), from.end(), to.reserve(exec, label, std::ssize(from)));
  return to.send(exec, std::ssize(from));
}

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
  /// Of all features, one after the other.
  struct Sent {
    const Index *offsets, *before, *ids, *places;
    const float* weights;
  };
  void describe(std::span<const AskedShard* const> asked);
  Sent send(const Device& exec, std::span<const AskedShard* const> asked);
  void order(const Device& exec);
  template <bool whole>
  void pool(const Device& exec, float* sums);

  std::vector<const EmbeddingTable*> tables_;
  Index dim_;
  BagArrays arrays_;
  Index longest_ = 0;  // bag
  bool whole_sums_ = true, whole_gradients_ = true;
  bool weighted_ = false, placed_ = false, moves_ids_ = false;
  std::vector<DeviceRun> runs_;
  std::vector<DeviceFeature> features_;
  Index offsets_ = 0, before_ = 0;  // numbers to be sent
  Upload<DeviceShard> shards_;
  Upload<DeviceRun> sent_runs_;
  Upload<DeviceFeature> sent_features_;
  DeviceList<Index> lane_ends_;
  Upload<Index> sent_offsets_, sent_before_, sent_ids_, sent_places_;
  Upload<float> sent_weights_;
  DeviceVector<Index> begins_, sources_, ids_, id_places_;
  DeviceVector<DeviceBag> at_;
  DeviceVector<float> weights_;
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
