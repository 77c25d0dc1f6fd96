// SPDX-License-Identifier: Apache-2.0
#include "bag_uploads.hpp"

#include <utility>

namespace tesserec::embedding {

BagUploads::BagUploads(std::vector<const EmbeddingTable*> tables)
    : tables_(std::move(tables)), dim_(tables_.front()->dim()) {}

void BagUploads::describe(std::span<const ShardLookups* const> lookups) {
  runs_.clear();
  features_.clear();
  weighted_ = placed_ = sent_.moves_ids = false;
  sent_.whole_sums = sent_.whole_gradients = dim_ % 4 == 0;
  sent_.longest = offsets_ = before_ = samples_ = 0;
  Index bags = 0, ids = 0;
  for (std::size_t i = 0; i < lookups.size(); ++i)
    for (std::size_t r = 0; r < lookups[i]->bags.size(); ++r) {
      const std::vector<Bags>& run = lookups[i]->bags[r];
      const Index samples = run.empty() ? 0 : run.front().count;
      if (samples == 0) continue;
      const bool listed = run.front().samples != nullptr;
      runs_.push_back({bags, ids, std::ssize(features_), std::ssize(run), run.front().first_sample,
                       listed ? std::exchange(samples_, samples_ + samples) : -1, std::int32_t(i)});
      bags += samples * std::ssize(run);
      sent_.moves_ids = sent_.moves_ids || run.size() > 1;
      for (std::size_t f = 0; f < run.size(); ++f) {
        const Bags& from = run[f];
        const auto numbers = [&](Index stride) {
          return stride > 0 || from.unpooled ? -1 : std::exchange(before_, before_ + samples);
        };
        const auto stride_of = [&](Index given) { return given > 0 ? given : dim_; };
        features_.push_back({offsets_, ids, lookups[i]->sums_at[r][f], stride_of(from.sums_stride), from.gradients_at,
                             stride_of(from.gradients_stride), numbers(from.sums_stride),
                             numbers(from.gradients_stride), from.unpooled});
        const DeviceFeature& to = features_.back();
        sent_.whole_sums = sent_.whole_sums && to.sums % 4 == 0 && to.sums_stride % 4 == 0;
        sent_.whole_gradients = sent_.whole_gradients && to.gradients % 4 == 0 && to.gradients_stride % 4 == 0;
        weighted_ = weighted_ || from.weights != nullptr;
        placed_ = placed_ || from.slots != nullptr;
        for (Index s = 0; s < samples && !from.unpooled; ++s) sent_.longest = std::max(sent_.longest, from.length(s));
        offsets_ += samples + 1;
        ids += from.total();
      }
    }
  sent_.bags = bags;
  sent_.ids_count = ids;
}

void BagUploads::send(const Device& exec, std::span<const ShardLookups* const> lookups) {
  const Index count = sent_.ids_count;
  Index* offsets = sent_offsets_.reserve(exec, "tesserec::embedding::offsets", offsets_);
  Index* before = sent_before_.reserve(exec, "tesserec::embedding::sums_before", before_);
  std::int32_t* samples = sent_samples_.reserve(exec, "tesserec::embedding::samples", samples_);
  Index* ids = sent_ids_.reserve(exec, "tesserec::embedding::sent_ids", count);
  Index* slots = placed_ ? sent_slots_.reserve(exec, "tesserec::embedding::sent_slots", count) : nullptr;
  float* weights = weighted_ ? sent_weights_.reserve(exec, "tesserec::embedding::sent_weights", count) : nullptr;
  for (std::size_t i = 0; i < lookups.size(); ++i)
    for (std::size_t r = 0; r < lookups[i]->bags.size(); ++r) {
      const std::vector<Bags>& run = lookups[i]->bags[r];
      if (!run.empty() && run.front().samples != nullptr)
        samples = std::copy_n(run.front().samples, run.front().count, samples);
      for (std::size_t f = 0; f < run.size(); ++f) {
        const ShardLookups* const shard = lookups[i];
        const Bags& from = shard->bags[r][f];
        if (from.count == 0) continue;
        const Index first = from.offsets[0], total = from.total();
        offsets = std::copy_n(from.offsets, from.count + 1, offsets);
        ids = std::copy_n(from.ids + first, total, ids);
        for (Index k = first; slots != nullptr && k < first + total; ++k)
          *slots++ = from.slot(k, tables_[i]->store().first_row());
        if (weights != nullptr)
          weights = from.weights != nullptr ? std::copy_n(from.weights + first, total, weights)
                                            : std::fill_n(weights, total, 1.0f);
        if (from.unpooled) continue;
        for (Index s = 0; from.sums_stride == 0 && s < from.count; ++s) *before++ = shard->nodes[r][f].begin(s);
        if (from.gradients_stride > 0) continue;
        Index with_ids = 0;
        for (Index s = 0; s < from.count; ++s) {
          *before++ = with_ids;
          with_ids += from.length(s) > 0;
        }
      }
    }
  sent_.offsets = sent_offsets_.send(exec, offsets_);
  sent_.before = sent_before_.send(exec, before_);
  sent_.samples = sent_samples_.send(exec, samples_);
  sent_.ids = sent_ids_.send(exec, count);
  sent_.slots = placed_ ? sent_slots_.send(exec, count) : nullptr;
  sent_.weights = weighted_ ? sent_weights_.send(exec, count) : nullptr;
}

SentBags BagUploads::read(const Device& exec, std::span<const ShardLookups* const> lookups, const BatchSplit& split) {
  describe(lookups);
  send(exec, lookups);
  std::vector<Index> lane_ends;
  for (int lane = 0; lane < split.lane_count(); ++lane) lane_ends.push_back(split.lane(lane).end);
  sent_.runs = upload(exec, sent_runs_, "tesserec::embedding::runs_of_samples", runs_);
  sent_.run_count = std::ssize(runs_);
  sent_.features = upload(exec, sent_features_, "tesserec::embedding::features", features_);
  sent_.lane_ends = lane_ends_.upload(exec, lane_ends);
  sent_.lanes = std::ssize(lane_ends);
  return sent_;
}

}  // namespace tesserec::embedding
