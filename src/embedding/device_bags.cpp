// SPDX-License-Identifier: Apache-2.0
// Bags on a device. Lists are uploaded in the sender's layout, and kernels find the position of each bag.
#include "device_bags.hpp"

namespace tesserec::embedding {
namespace {

/// Returns the first i in [0, n) for which `reached` is true, or n. `reached` must be monotonic.
template <class Reached>
TESSEREC_FUNCTION Index first_of(Index n, const Reached& reached) {
  Index begin = 0;
  while (begin < n) {
    const Index middle = (begin + n) / 2;
    if (reached(middle))
      n = middle;
    else
      begin = middle + 1;
  }
  return begin;
}

struct MakeBags {
  SentBags sent;
  Index* begins;
  DeviceBag* at;
  Index* sources;  // [bags] position of each bag's ids in `sent`, if they are not in bag order; else null
  TESSEREC_FUNCTION void operator()(const LaneGroup&, Index b) const {
    const SentBags& sent_bags = sent;
    const DeviceRun run = sent_bags.runs[first_of(sent_bags.run_count, RunBehind{sent_bags.runs, b}) - 1];
    const Index s = (b - run.first_bag) / run.features, f = (b - run.first_bag) % run.features;
    const DeviceFeature* const features = sent_bags.features + run.first_feature;
    Index begin = run.first_id;
    for (Index g = 0; g < run.features; ++g) {
      const Index* const offsets = sent_bags.offsets + features[g].offsets;
      begin += offsets[g < f ? s + 1 : s] - offsets[0];
    }
    const DeviceFeature own = features[f];
    const Index* const offsets = sent_bags.offsets + own.offsets;
    const Index ids_before = offsets[s] - offsets[0], length = offsets[s + 1] - offsets[s];
    const auto number = [&](Index before) -> Index {
      if (own.unpooled) return ids_before;
      return before < 0 ? s : sent_bags.before[before + s];
    };
    const bool has_sum = length > 0 || (own.sums_before < 0 && !own.unpooled);
    const Index sample = run.first_sample + (run.samples < 0 ? s : sent_bags.samples[run.samples + s]);
    const Index lane = first_of(sent_bags.lanes - 1, LaneEndsBehind{sent_bags.lane_ends, sample});
    begins[b] = begin;
    if (b + 1 == sent_bags.bags) begins[sent_bags.bags] = sent_bags.ids_count;
    at[b] = {has_sum ? own.sums + number(own.sums_before) * own.sums_stride : -1,
             own.gradients + number(own.gradients_before) * own.gradients_stride,
             std::int32_t(own.sums_stride),
             std::int32_t(own.gradients_stride),
             run.shard,
             std::int32_t(lane),
             own.unpooled};
    if (sources != nullptr) sources[b] = own.ids + ids_before;
  }

  struct RunBehind {
    const DeviceRun* runs;
    Index bag;
    TESSEREC_FUNCTION bool operator()(Index r) const { return runs[r].first_bag > bag; }
  };
  struct LaneEndsBehind {
    const Index* ends;
    Index sample;
    TESSEREC_FUNCTION bool operator()(Index lane) const { return ends[lane] > sample; }
  };
};

/// Gathers ids, slots and weights into bag order.
struct MoveIds {
  const Index *begins, *sources;
  const Index *sent, *sent_slots;  // slots: null = none
  const float* sent_weights;       // null = 1
  Index *ids, *slots;
  float* weights;
  TESSEREC_FUNCTION void operator()(const LaneGroup& lanes, Index b) const {
    const Index begin = begins[b], length = begins[b + 1] - begin, from = sources[b];
    for (Index i = lanes.lane; i < length; i += lanes.width) {
      ids[begin + i] = sent[from + i];
      if (slots != nullptr) slots[begin + i] = sent_slots[from + i];
      if (weights != nullptr) weights[begin + i] = sent_weights[from + i];
    }
  }
};

}  // namespace

void DeviceBags::read(const Device& exec, std::span<const ShardLookups* const> lookups, const BatchSplit& split) {
  sent_ = uploads_.read(exec, lookups, split);
  const Index bags = sent_.bags, count = sent_.ids_count;
  Index* const begins = reserve_device(exec, begins_, "tesserec::embedding::bag_begins", bags + 1);
  DeviceBag* const at = reserve_device(exec, at_, "tesserec::embedding::bags", bags);
  Index* const sources =
      sent_.moves_ids ? reserve_device(exec, sources_, "tesserec::embedding::id_sources", bags) : nullptr;
  launch(exec, "tesserec::embedding::make_bags", bags, 1, MakeBags{sent_, begins, at, sources});
  arrays_ = {bags, count, begins, at, sent_.ids, sent_.slots, sent_.weights, arrays_.shards};
  if (!sent_.moves_ids) return;
  const bool placed = sent_.slots != nullptr, weighted = sent_.weights != nullptr;
  Index* const ids = reserve_device(exec, ids_, "tesserec::embedding::ids", count);
  Index* const slots = placed ? reserve_device(exec, slots_, "tesserec::embedding::slots", count) : nullptr;
  float* const weights = weighted ? reserve_device(exec, weights_, "tesserec::embedding::weights", count) : nullptr;
  launch(exec, "tesserec::embedding::move_ids", bags, bags > 0 ? count / bags : 0,
         MoveIds{begins, sources, sent_.ids, sent_.slots, sent_.weights, ids, slots, weights});
  arrays_.ids = ids;
  arrays_.slots = slots;
  arrays_.weights = weights;
}

}  // namespace tesserec::embedding
