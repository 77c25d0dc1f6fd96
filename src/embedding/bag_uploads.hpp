// SPDX-License-Identifier: Apache-2.0
/// Bags of a batch as ranks asked for them, on their way to a device.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <tesserec/core/device_list.hpp>
#include <tesserec/core/upload.hpp>
#include <tesserec/embedding/asked_shard.hpp>

namespace tesserec::embedding {

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
  Index first_sample, samples;  // where the list of its samples begins; -1: all from the first one on
  std::int32_t shard;
};

/// A whole list of the host; where kernels read it.
template <class From, class T>
const T* upload(const Device& exec, Upload<T>& to, const std::string& label, const From& from) {
  std::copy(from.begin(), from.end(), to.reserve(exec, label, std::ssize(from)));
  return to.send(exec, std::ssize(from));
}

/// The lists that kernels read: those of all features, one after the other.
struct SentBags {
  const DeviceRun* runs = nullptr;
  Index run_count = 0;
  const DeviceFeature* features = nullptr;
  const Index* offsets = nullptr;
  const Index* before = nullptr;  // numbers of sums and gradients
  const std::int32_t* samples = nullptr;
  const Index* lane_ends = nullptr;  // the end of each lane, a sample of the batch
  Index lanes = 0;
  const Index *ids = nullptr, *slots = nullptr;  // slots: null = id - first row
  const float* weights = nullptr;                // null = 1
  Index bags = 0, ids_count = 0;
  Index longest = 0;                               // bag
  bool moves_ids = false;                          // several features stand in a run: ids are not in the order of bags
  bool whole_sums = true, whole_gradients = true;  // all begin where a quad may
};

class BagUploads {
 public:
  explicit BagUploads(std::vector<const EmbeddingTable*> tables);

  /// Copies the lookups asked of each shard, which are not kept, and sends them.
  SentBags read(const Device& exec, std::span<const AskedShard* const> asked, const BatchSplit& split);

 private:
  /// Lists runs and features, and counts.
  void describe(std::span<const AskedShard* const> asked);
  void send(const Device& exec, std::span<const AskedShard* const> asked);

  std::vector<const EmbeddingTable*> tables_;
  Index dim_;
  SentBags sent_;
  bool weighted_ = false, placed_ = false;
  Index offsets_ = 0, before_ = 0, samples_ = 0;  // numbers to be sent
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
