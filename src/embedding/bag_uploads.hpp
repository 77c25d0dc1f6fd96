// SPDX-License-Identifier: Apache-2.0
/// Bags of a batch, uploaded to a device in the order in which ranks sent them.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <tesserec/core/device_list.hpp>
#include <tesserec/core/upload.hpp>
#include <tesserec/embedding/shard_lookups.hpp>

namespace tesserec::embedding {

/// Bags of one feature for a run of samples, in the sender's layout. Positions refer to the lists of SentBags.
struct DeviceFeature {
  Index offsets, ids;                   // position of its [samples + 1] offsets, and of its ids
  Index sums, sums_stride;              // float offset of the first sum, and floats from one sum to the next
  Index gradients, gradients_stride;    // float offset of the first gradient, and floats from one to the next
  Index sums_before, gradients_before;  // position of [samples] counts of preceding sums (gradients); -1 = one per bag
  bool unpooled;
};
/// Run of samples, with the features of one shard.
struct DeviceRun {
  Index first_bag, first_id;  // index of the first bag and id in the batch
  Index first_feature, features;
  Index first_sample, samples;  // position of the list of its samples; -1 = consecutive samples from first_sample
  std::int32_t shard;
};

/// Uploads a whole list. Returns its address for kernels.
template <class From, class T>
const T* upload(const Device& exec, Upload<T>& to, const std::string& label, const From& from) {
  std::copy(from.begin(), from.end(), to.reserve(exec, label, std::ssize(from)));
  return to.send(exec, std::ssize(from));
}

/// Lists that kernels read; each concatenates the lists of all features.
struct SentBags {
  const DeviceRun* runs = nullptr;
  Index run_count = 0;
  const DeviceFeature* features = nullptr;
  const Index* offsets = nullptr;
  const Index* before = nullptr;  // counts of preceding sums and gradients
  const std::int32_t* samples = nullptr;
  const Index* lane_ends = nullptr;  // [lanes] end of each lane, as a sample of the batch
  Index lanes = 0;
  const Index *ids = nullptr, *slots = nullptr;  // slots: null = id - first row
  const float* weights = nullptr;                // null = 1
  Index bags = 0, ids_count = 0;
  Index longest = 0;                               // ids of the longest pooled bag
  bool moves_ids = false;                          // some run has several features, so that ids are not in bag order
  bool whole_sums = true, whole_gradients = true;  // every sum (gradient) begins at a multiple of 4 floats
};

class BagUploads {
 public:
  explicit BagUploads(std::vector<const EmbeddingTable*> tables);

  /// Uploads the lookups of each shard. `lookups` may be freed after the call.
  SentBags read(const Device& exec, std::span<const ShardLookups* const> lookups, const BatchSplit& split);

 private:
  /// Lists runs and features, and counts the values to be sent.
  void describe(std::span<const ShardLookups* const> lookups);
  void send(const Device& exec, std::span<const ShardLookups* const> lookups);

  std::vector<const EmbeddingTable*> tables_;
  Index dim_;
  SentBags sent_;
  bool weighted_ = false, placed_ = false;
  Index offsets_ = 0, before_ = 0, samples_ = 0;  // number of values to be sent
  std::vector<DeviceRun> runs_;
  std::vector<DeviceFeature> features_;
  Upload<DeviceRun> sent_runs_;
  Upload<DeviceFeature> sent_features_;
  DeviceList<Index> lane_ends_;
  Upload<Index> sent_offsets_, sent_before_, sent_ids_, sent_slots_;
  Upload<std::int32_t> sent_samples_;
  Upload<float> sent_weights_;
};

}  // namespace tesserec::embedding
