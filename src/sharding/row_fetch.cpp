// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/core/error.hpp>
#include <tesserec/sharding/row_fetch.hpp>

namespace tesserec::sharding {

void select_ids(const embedding::EmbeddingBagConfig& table, const jagged::KeyedJaggedTensor& sparse, Index key,
                Range blocks, Index first_sample, const SelectedIds& to) {
  auto& [offsets, ids, weights] = to;
  if (table.weighted && !sparse.weighted())
    fail("table ", table.name, " is weighted, but the data has no weights for feature ", sparse.keys[key]);
  const Index limit = table.ids();
  const embedding::BlockOf block_of = table.block_of();
  const bool all = blocks.size() == embedding::block_count;
  const Index* from = sparse.offsets.data() + sparse.first_bag(key);
  const auto ids_at = std::ssize(ids);
  ids.resize(ids_at + from[sparse.stride] - from[0]);
  Index* next = ids.data() + ids_at;
  offsets.resize(sparse.stride + 1);
  offsets[0] = 0;
  for (Index s = 0; s < sparse.stride; ++s) {
    for (Index i = from[s]; i < from[s + 1]; ++i) {
      const Index id = sparse.values(i);
      if (id < 0 || id >= limit)
        fail("feature ", sparse.keys[key], ", sample ", first_sample + s, " of the batch: id ", id,
             " is outside table ", table.whole(), " of ", limit, " rows");
      const Index row = table.row(id);
      if (!all && !blocks.contains(block_of(row))) continue;
      *next++ = row;
      if (weights != nullptr) weights->push_back(table.weighted ? sparse.weights(i) : 1.0f);
    }
    offsets[s + 1] = next - ids.data() - ids_at;
  }
  ids.resize(next - ids.data());
}

RowFetch::RowFetch(const embedding::EmbeddingBagConfig& table, const planning::Shard& shard,
                   const std::vector<Index>& keys)
    : table_(table), shard_(shard), features_(keys.size()) {
  for (std::size_t f = 0; f < keys.size(); ++f) {
    features_[f].key = keys[f];
    features_[f].bags.unpooled = !table.pools(f);
  }
}

void RowFetch::collect(const jagged::KeyedJaggedTensor& sparse, const BatchSplit& split, int rank) {
  lanes_ = split.lanes(rank);
  const Index first_sample = split.samples(rank).begin;
  ids_.clear();
  weights_.clear();
  uses_.clear();
  rows_.clear();
  sums_.clear();
  for (Feature& feature : features_) {
    feature.ids_at = std::ssize(ids_);
    select_ids(table_, sparse, feature.key, shard_.blocks, first_sample,
               {feature.offsets, ids_, table_.weighted ? &weights_ : nullptr});
  }
  int lane = lanes_.begin;
  for (Index s = 0; s < sparse.stride; ++s) {
    while (first_sample + s >= split.lane(lane).end) ++lane;
    for (const Feature& feature : features_)
      for (Index i = feature.ids_at + feature.offsets[s]; i < feature.ids_at + feature.offsets[s + 1]; ++i)
        uses_.push_back({ids_[i], i, lane, table_.weighted ? weights_[i] : 1.0f});
  }
  embedding::sort_by_row(uses_, table_.num_embeddings);

  slots_.resize(ids_.size());
  TreeOrder tree(lanes_);
  const auto nothing = [](int, int) {};
  const auto finish_row = [&] {
    tree.finish(nothing);
    for (int i = 0; i < tree.size(); ++i) sums_.push_back((std::ssize(rows_) - 1) * split.lane_count() + tree.leaf(i));
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

  for (Feature& feature : features_) {
    embedding::Bags& bags = feature.bags;
    bags.first_sample = first_sample;
    bags.count = sparse.stride;
    bags.offsets = feature.offsets.data();
    bags.ids = ids_.data() + feature.ids_at;
    bags.slots = slots_.data() + feature.ids_at;
    bags.weights = table_.weighted ? weights_.data() + feature.ids_at : nullptr;
    feature.nodes = embedding::subtree_nodes(table_.block_of(), shard_.blocks, bags);
  }
}

void RowFetch::pool(std::size_t f, const float* fetched, float* out) const {
  embedding::pool({table_.block_of(), shard_.blocks, fetched, 0, dim()}, bags(f), nodes(f), {0, bags(f).count}, out);
}

std::vector<std::pair<Index, Index>> RowFetch::in_blocks(std::size_t f, Index sample) const {
  const embedding::BlockOf block_of = table_.block_of();
  const embedding::Bags& bag = bags(f);
  std::vector<std::pair<Index, Index>> ids;
  for (Index i = bag.offsets[sample]; i < bag.offsets[sample + 1]; ++i) ids.emplace_back(block_of(bag.ids[i]), i);
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::vector<embedding::RowUse> RowFetch::uses(std::span<const Index> gradients_at) const {
  std::vector<Index> vector_of(ids_.size());  // float offset of the gradient that each id gets
  for (std::size_t f = 0; f < features_.size(); ++f) {
    const auto& [key, offsets, ids_at, bags, nodes] = features_[f];
    Index next = gradients_at[f];
    for (Index s = 0; s < bags.count; ++s) {
      for (Index i = offsets[s]; i < offsets[s + 1]; ++i) {
        vector_of[ids_at + i] = next;
        if (bags.unpooled) next += dim();
      }
      if (!bags.unpooled && bags.length(s) > 0) next += dim();
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
