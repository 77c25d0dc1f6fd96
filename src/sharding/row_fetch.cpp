// SPDX-License-Identifier: Apache-2.0
#include "row_fetch.hpp"

#include <algorithm>
#include <limits>

namespace tesserec::sharding {

RowFetch::RowFetch(const embedding::EmbeddingBagConfig& table, const planning::Shard& shard)
    : table_(table), shard_(shard) {}

void RowFetch::collect(std::span<const OwnerBags> features, const BatchSplit& split, int rank) {
  lanes_ = split.lanes(rank);
  copy_ids(features);
  list_uses(split, split.samples(rank).begin);
  embedding::sort_by_row(uses_, table_.grows() ? 0 : table_.rows().end);
  find_rows(split.lane_count());
  for (Feature& feature : features_) feature.bags.slots = slots_.data() + feature.ids_at;
}

void RowFetch::copy_ids(std::span<const OwnerBags> features) {
  ids_.clear();
  weights_.clear();
  features_.clear();
  for (std::size_t f = 0; f < features.size(); ++f) {
    const OwnerBags& from = features[f];
    features_.push_back({std::ssize(ids_), from.samples, from.bags(!table_.pools(f))});
    ids_.insert(ids_.end(), from.rows, from.rows + from.ids());
    if (table_.weighted) weights_.insert(weights_.end(), from.weights, from.weights + from.ids());
  }
  for (Feature& feature : features_) {
    feature.bags.ids = ids_.data() + feature.ids_at;
    feature.bags.weights = table_.weighted ? weights_.data() + feature.ids_at : nullptr;
  }
}

/// Lists the uses of rows by sample, then by feature.
void RowFetch::list_uses(const BatchSplit& split, Index first_sample) {
  constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
  uses_.clear();
  std::vector<std::size_t> next(features_.size(), 0);  // index of the next bag of each feature
  const auto sample_of = [&](std::size_t f) {
    return next[f] < features_[f].samples.size() ? features_[f].samples[next[f]] : none;
  };
  int lane = lanes_.begin;
  for (;;) {
    std::int32_t sample = none;
    for (std::size_t f = 0; f < features_.size(); ++f) sample = std::min(sample, sample_of(f));
    if (sample == none) return;
    while (first_sample + sample >= split.lane(lane).end) ++lane;
    for (std::size_t f = 0; f < features_.size(); ++f) {
      if (sample_of(f) != sample) continue;
      const Feature& feature = features_[f];
      const Index* const ends = feature.bags.offsets + next[f]++;
      for (Index i = feature.ids_at + ends[0]; i < feature.ids_at + ends[1]; ++i)
        uses_.push_back({ids_[i], i, lane, table_.weighted ? weights_[i] : 1.0f});
    }
  }
}

void RowFetch::find_rows(int lane_count) {
  rows_.clear();
  sums_.clear();
  slots_.resize(ids_.size());
  TreeOrder tree(lanes_);
  const auto nothing = [](int, int) {};
  const auto finish_row = [&] {
    tree.finish(nothing);
    for (int i = 0; i < tree.size(); ++i) sums_.push_back((std::ssize(rows_) - 1) * lane_count + tree.leaf(i));
    tree.clear();
  };
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    const bool new_row = i == 0 || uses_[i].row != uses_[i - 1].row;
    if (new_row) {
      if (i > 0) finish_row();
      rows_.push_back(uses_[i].row);
    }
    if (new_row || uses_[i].lane != uses_[i - 1].lane) tree.push(uses_[i].lane, nothing);
    slots_[uses_[i].gradient] = std::ssize(rows_) - 1;
  }
  if (!uses_.empty()) finish_row();
}

void RowFetch::pool(std::size_t f, const embedding::Nodes& nodes, const float* fetched, float* out) const {
  embedding::pool({table_.block_of(), shard_.blocks, fetched, 0, dim()}, bags(f), nodes, {0, bags(f).count}, out);
}

std::vector<std::pair<Index, Index>> RowFetch::in_blocks(std::size_t f, Index at) const {
  const embedding::BlockOf block_of = table_.block_of();
  const embedding::Bags& bag = bags(f);
  std::vector<std::pair<Index, Index>> ids;
  for (Index i = bag.offsets[at]; i < bag.offsets[at + 1]; ++i) ids.emplace_back(block_of(bag.ids[i]), i);
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::vector<embedding::RowUse> RowFetch::uses(std::span<const Index> gradients_at) const {
  std::vector<Index> vector_of(ids_.size());  // float offset of each id's gradient
  for (std::size_t f = 0; f < features_.size(); ++f) {
    const embedding::Bags& bags = features_[f].bags;
    Index next = gradients_at[f];
    for (Index bag = 0; bag < bags.count; ++bag) {
      for (Index i = bags.offsets[bag]; i < bags.offsets[bag + 1]; ++i) {
        vector_of[features_[f].ids_at + i] = next;
        if (bags.unpooled) next += dim();
      }
      if (!bags.unpooled) next += dim();
    }
  }
  std::vector<embedding::RowUse> uses = uses_;
  for (embedding::RowUse& use : uses) use.gradient = vector_of[use.gradient];
  return uses;
}

void RowFetch::sum_gradients(const float* gradients, std::span<const Index> gradients_at, float* out) const {
  std::vector<embedding::RowUse> uses = this->uses(gradients_at);
  embedding::sum_rows(
      uses, gradients, dim(), lanes_, false, [](Index) {},
      [&](Index, Index, const float* sum) { out = std::copy(sum, sum + dim(), out); });
}

}  // namespace tesserec::sharding
