// SPDX-License-Identifier: Apache-2.0
// Bags on a device: what came is sent as it is, and kernels find each bag's place.
#include "device_bags.hpp"

#include <algorithm>
#include <utility>

namespace tesserec::embedding {
namespace {

/// In device memory; numbers are described by DeviceFeature.
struct SentBags {
  const DeviceRun* runs;
  Index run_count;
  const DeviceFeature* features;
  const Index* offsets;
  const Index* before;
  const Index* lane_ends;  // the end of each lane, a sample of the batch
  Index lanes;
};

/// The first i in [0, n) for which `reached`, which stays true, or n.
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
  Index bags, ids;
  Index* begins;
  DeviceBag* at;
  Index* sources;  // among what was sent, where bags' ids stand otherwise there; else null
  TESSEREC_FUNCTION void operator()(const LaneGroup&, Index b) const {
    const SentBags& of = sent;
    const DeviceRun run = of.runs[first_of(of.run_count, RunBehind{of.runs, b}) - 1];
    const Index s = (b - run.first_bag) / run.features, f = (b - run.first_bag) % run.features;
    const DeviceFeature* const features = of.features + run.first_feature;
    Index begin = run.first_id;
    for (Index g = 0; g < run.features; ++g) {
      const Index* const offsets = of.offsets + features[g].offsets;
      begin += offsets[g < f ? s + 1 : s] - offsets[0];
    }
    const DeviceFeature own = features[f];
    const Index* const offsets = of.offsets + own.offsets;
    const Index ids_before = offsets[s] - offsets[0], length = offsets[s + 1] - offsets[s];
    const auto number = [&](Index before) -> Index {
      if (own.unpooled) return ids_before;
      return before < 0 ? s : of.before[before + s];
    };
    const bool has_sum = length > 0 || (own.sums_before < 0 && !own.unpooled);
    const Index lane = first_of(of.lanes - 1, LaneEndsBehind{of.lane_ends, run.first_sample + s});
    begins[b] = begin;
    if (b + 1 == bags) begins[bags] = ids;
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

/// Moves ids, their places and weights into the order of bags.
struct MoveIds {
  const Index *begins, *sources;
  const Index *sent, *sent_places;  // places: null = none
  const float* sent_weights;        // null = 1
  Index *ids, *places;
  float* weights;
  TESSEREC_FUNCTION void operator()(const LaneGroup& lanes, Index b) const {
    const Index begin = begins[b], length = begins[b + 1] - begin, from = sources[b];
    for (Index i = lanes.lane; i < length; i += lanes.width) {
      ids[begin + i] = sent[from + i];
      if (places != nullptr) places[begin + i] = sent_places[from + i];
      if (weights != nullptr) weights[begin + i] = sent_weights[from + i];
    }
  }
};

}  // namespace

DeviceBags::DeviceBags(std::vector<const EmbeddingTable*> tables)
    : tables_(std::move(tables)), dim_(tables_.front()->dim()) {
  const Device exec;
  DeviceShard* const to = shards_.reserve(exec, "tesserec::embedding::shards", std::ssize(tables_));
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const EmbeddingTable& table = *tables_[i];
    const std::span<const RowMatrix> states = table.store().states();
    to[i] = {table.weights().data(),
             {},
             table.dense_gradient().data(),
             table.store().first_row(),
             table.blocks().begin,
             table.blocks().end,
             table.block_of()};
    for (std::size_t s = 0; s < states.size(); ++s) to[i].states[s] = states[s].values.data();
  }
  arrays_.shards = shards_.send(exec, std::ssize(tables_));
}

void DeviceBags::describe(std::span<const AskedShard* const> asked) {
  runs_.clear();
  features_.clear();
  weighted_ = placed_ = moves_ids_ = false;
  whole_sums_ = whole_gradients_ = dim_ % 4 == 0;
  longest_ = offsets_ = before_ = 0;
  Index bags = 0, ids = 0;
  for (std::size_t i = 0; i < asked.size(); ++i)
    for (std::size_t r = 0; r < asked[i]->bags.size(); ++r) {
      const std::vector<Bags>& run = asked[i]->bags[r];
      const Index samples = run.empty() ? 0 : run.front().count;
      if (samples == 0) continue;
      runs_.push_back({bags, ids, std::ssize(features_), std::ssize(run), run.front().first_sample, std::int32_t(i)});
      bags += samples * std::ssize(run);
      moves_ids_ = moves_ids_ || run.size() > 1;
      for (std::size_t f = 0; f < run.size(); ++f) {
        const Bags& from = run[f];
        const auto numbers = [&](Index stride) {
          return stride > 0 || from.unpooled ? -1 : std::exchange(before_, before_ + samples);
        };
        const auto stride_of = [&](Index given) { return given > 0 ? given : dim_; };
        features_.push_back({offsets_, ids, asked[i]->sums_at[r][f], stride_of(from.sums_stride), from.gradients_at,
                             stride_of(from.gradients_stride), numbers(from.sums_stride),
                             numbers(from.gradients_stride), from.unpooled});
        const DeviceFeature& to = features_.back();
        whole_sums_ = whole_sums_ && to.sums % 4 == 0 && to.sums_stride % 4 == 0;
        whole_gradients_ = whole_gradients_ && to.gradients % 4 == 0 && to.gradients_stride % 4 == 0;
        weighted_ = weighted_ || from.weights != nullptr;
        placed_ = placed_ || from.places != nullptr;
        for (Index s = 0; s < samples && !from.unpooled; ++s) longest_ = std::max(longest_, from.length(s));
        offsets_ += samples + 1;
        ids += from.total();
      }
    }
  arrays_.bags = bags;
  arrays_.ids_count = ids;
}

DeviceBags::Sent DeviceBags::send(const Device& exec, std::span<const AskedShard* const> asked) {
  const Index count = arrays_.ids_count;
  Index* offsets = sent_offsets_.reserve(exec, "tesserec::embedding::offsets", offsets_);
  Index* before = sent_before_.reserve(exec, "tesserec::embedding::sums_before", before_);
  Index* ids = sent_ids_.reserve(exec, "tesserec::embedding::sent_ids", count);
  Index* places = placed_ ? sent_places_.reserve(exec, "tesserec::embedding::sent_places", count) : nullptr;
  float* weights = weighted_ ? sent_weights_.reserve(exec, "tesserec::embedding::sent_weights", count) : nullptr;
  for (std::size_t i = 0; i < asked.size(); ++i)
    for (std::size_t r = 0; r < asked[i]->bags.size(); ++r)
      for (std::size_t f = 0; f < asked[i]->bags[r].size(); ++f) {
        const AskedShard* const shard = asked[i];
        const Bags& from = shard->bags[r][f];
        if (from.count == 0) continue;
        const Index first = from.offsets[0], total = from.total();
        offsets = std::copy_n(from.offsets, from.count + 1, offsets);
        ids = std::copy_n(from.ids + first, total, ids);
        for (Index k = first; places != nullptr && k < first + total; ++k)
          *places++ = from.places != nullptr ? from.places[k] : from.ids[k] - tables_[i]->store().first_row();
        if (weights != nullptr)
          weights = from.weights != nullptr ? std::copy_n(from.weights + first, total, weights)
                                            : std::fill_n(weights, total, 1.0f);
        if (from.unpooled) continue;
        if (from.sums_stride == 0) before = std::copy_n(shard->nodes[r][f].offsets.data(), from.count, before);
        if (from.gradients_stride > 0) continue;
        Index with_ids = 0;
        for (Index s = 0; s < from.count; ++s) {
          *before++ = with_ids;
          with_ids += from.length(s) > 0;
        }
      }
  return {sent_offsets_.send(exec, offsets_), sent_before_.send(exec, before_), sent_ids_.send(exec, count),
          placed_ ? sent_places_.send(exec, count) : nullptr, weighted_ ? sent_weights_.send(exec, count) : nullptr};
}

void DeviceBags::read(const Device& exec, std::span<const AskedShard* const> asked, const BatchSplit& split) {
  describe(asked);
  const Sent sent = send(exec, asked);
  std::vector<Index> lane_ends;
  for (int lane = 0; lane < split.lane_count(); ++lane) lane_ends.push_back(split.lane(lane).end);

  const Index bags = arrays_.bags, count = arrays_.ids_count;
  const SentBags came{upload(exec, sent_runs_, "tesserec::embedding::runs_of_samples", runs_),
                      std::ssize(runs_),
                      upload(exec, sent_features_, "tesserec::embedding::features", features_),
                      sent.offsets,
                      sent.before,
                      lane_ends_.upload(exec, lane_ends),
                      std::ssize(lane_ends)};
  Index* const begins = reserve_device(exec, begins_, "tesserec::embedding::bag_begins", bags + 1);
  DeviceBag* const at = reserve_device(exec, at_, "tesserec::embedding::bags", bags);
  Index* const sources = moves_ids_ ? reserve_device(exec, sources_, "tesserec::embedding::id_sources", bags) : nullptr;
  launch(exec, "tesserec::embedding::make_bags", bags, 1, MakeBags{came, bags, count, begins, at, sources});
  arrays_.begins = begins;
  arrays_.at = at;
  arrays_.ids = sent.ids;
  arrays_.places = sent.places;
  arrays_.weights = sent.weights;
  if (!moves_ids_) return;
  Index* const ids = reserve_device(exec, ids_, "tesserec::embedding::ids", count);
  Index* const places = placed_ ? reserve_device(exec, id_places_, "tesserec::embedding::places", count) : nullptr;
  float* const weights = weighted_ ? reserve_device(exec, weights_, "tesserec::embedding::weights", count) : nullptr;
  launch(exec, "tesserec::embedding::move_ids", bags, bags > 0 ? count / bags : 0,
         MoveIds{begins, sources, sent.ids, sent.places, sent.weights, ids, places, weights});
  arrays_.ids = ids;
  arrays_.places = places;
  arrays_.weights = weights;
}

}  // namespace tesserec::embedding
