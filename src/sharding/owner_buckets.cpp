// SPDX-License-Identifier: Apache-2.0
#include "owner_buckets.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include <tesserec/core/error.hpp>

namespace tesserec::sharding {
namespace {

/// Lists of the feature that a thread sorts, shared by all features so that they stay in its caches.
struct SortLists {
  std::vector<std::uint16_t> owners;         // [ids]
  std::vector<std::int32_t> order, samples;  // [ids] ids by owner; sample of each id
};
thread_local SortLists lists;

}  // namespace

Index OwnerBags::from(Index sample) const {
  return std::lower_bound(samples.begin(), samples.end(), sample) - samples.begin();
}

embedding::Bags OwnerBags::bags(bool unpooled) const {
  return {.count = count(), .offsets = offsets, .ids = rows, .weights = weights, .unpooled = unpooled};
}

OwnerBuckets::OwnerBuckets(const embedding::EmbeddingBagConfig& table, Index key,
                           std::span<const std::uint16_t> owner_of, int owners, bool with_places)
    : table_(table), key_(key), owner_of_(owner_of), owners_(owners), with_places_(with_places) {}

void OwnerBuckets::refuse(const jagged::KeyedJaggedTensor& sparse, Index i) const {
  const Index* const offsets = sparse.offsets.data() + sparse.first_bag(key_);
  const Index sample = std::upper_bound(offsets, offsets + sparse.stride, i) - offsets - 1;
  fail("feature ", sparse.keys[key_], ", sample ", first_sample_ + sample, " of the batch: id ", sparse.values(i),
       " is outside table ", table_.whole(), " of ", table_.ids(), " rows");
}

void OwnerBuckets::fill(const jagged::KeyedJaggedTensor& sparse, Index first_sample) {
  first_sample_ = first_sample;
  if (table_.weighted && !sparse.weighted())
    fail("table ", table_.name, " is weighted, but the data has no weights for feature \"", sparse.keys[key_],
         "\"; add weights, or set weighted = false");
  if (owner_of_.empty()) return keep_all(sparse);
  sort(sparse);
  list(sparse);
}

/// Lists the bags with ids for a single owner. Does not copy ids that are rows already.
void OwnerBuckets::keep_all(const jagged::KeyedJaggedTensor& sparse) {
  const Index* const offsets = sparse.offsets.data() + sparse.first_bag(key_);
  const Index begin = offsets[0], ids = offsets[sparse.stride] - begin;
  samples_.clear();
  offsets_.assign(1, 0);
  rows_.resize(table_.half ? ids : 0);
  for (Index s = 0; s < sparse.stride; ++s) {
    for (Index i = offsets[s]; i < offsets[s + 1]; ++i) {
      if (!table_.takes(sparse.values(i))) refuse(sparse, i);
      if (table_.half) rows_[i - begin] = table_.row(sparse.values(i));
    }
    if (offsets[s] == offsets[s + 1]) continue;
    samples_.push_back(std::int32_t(s));
    offsets_.push_back(offsets[s + 1] - begin);
  }
  bags_ = {std::ssize(samples_)};
  first_id_ = {0, ids};
  all_rows_ = table_.half ? rows_.data() : sparse.values.data() + begin;
  all_weights_ = table_.weighted ? sparse.weights.data() + begin : nullptr;
}

/// Sorts the ids by owner into `lists.order`, by counting.
void OwnerBuckets::sort(const jagged::KeyedJaggedTensor& sparse) {
  const Index* const offsets = sparse.offsets.data() + sparse.first_bag(key_);
  const Index* const values = sparse.values.data() + offsets[0];
  const Index ids = offsets[sparse.stride] - offsets[0];
  const embedding::BlockOf block_of = table_.block_of();
  const std::uint16_t* const owner_of = owner_of_.data();
  lists.owners.resize(ids);
  lists.order.resize(ids);
  std::uint16_t* const owners = lists.owners.data();
  std::int32_t* const order = lists.order.data();
  first_id_.assign(owners_ + 2, 0);
  Index* const counts = first_id_.data() + 2;
  for (Index i = 0; i < ids; ++i) {
    if (!table_.takes(values[i])) refuse(sparse, offsets[0] + i);
    const std::uint16_t owner = owner_of[block_of(table_.row(values[i]))];
    owners[i] = owner;
    ++counts[owner];
  }
  std::partial_sum(first_id_.begin(), first_id_.end(), first_id_.begin());
  Index* const next = first_id_.data() + 1;
  for (Index i = 0; i < ids; ++i) order[next[owners[i]]++] = std::int32_t(i);
  first_id_.pop_back();
}

/// Lists rows and bags of each owner, without an unpredictable branch.
void OwnerBuckets::list(const jagged::KeyedJaggedTensor& sparse) {
  const Index* const offsets = sparse.offsets.data() + sparse.first_bag(key_);
  const Index* const values = sparse.values.data() + offsets[0];
  const Index ids = first_id_.back();
  lists.samples.resize(ids);
  for (Index s = 0; s < sparse.stride; ++s)
    for (Index i = offsets[s] - offsets[0]; i < offsets[s + 1] - offsets[0]; ++i) lists.samples[i] = std::int32_t(s);
  samples_.resize(ids);
  rows_.resize(ids);
  offsets_.resize(ids + owners_);
  bags_.resize(owners_);
  places_.resize(with_places_ ? ids : 0);
  weights_.resize(table_.weighted ? ids : 0);
  for (int owner = 0; owner < owners_; ++owner) {
    const Index first = first_id_[owner], count = first_id_[owner + 1] - first;
    const std::int32_t *const order = lists.order.data() + first, *const sample_of = lists.samples.data();
    std::int32_t* const samples = samples_.data() + first;
    Index *const rows = rows_.data() + first, *const ends = offsets_.data() + first + owner + 1;
    ends[-1] = 0;
    Index bag = -1;
    std::int32_t last = -1;
    for (Index k = 0; k < count; ++k) {
      const std::int32_t sample = sample_of[order[k]];
      rows[k] = table_.row(values[order[k]]);
      bag += sample != last;
      last = sample;
      samples[bag] = sample;
      ends[bag] = k + 1;
    }
    bags_[owner] = bag + 1;
  }
  for (Index k = 0; with_places_ && k < ids; ++k) places_[k] = lists.order[k];
  for (Index k = 0; table_.weighted && k < ids; ++k) weights_[k] = sparse.weights(offsets[0] + lists.order[k]);
}

OwnerBags OwnerBuckets::of(int owner) const {
  const Index id = first_id_[owner];
  OwnerBags bags{.samples = {samples_.data() + id, std::size_t(bags_[owner])}, .offsets = offsets_.data() + id + owner};
  const bool single_owner = owner_of_.empty();
  bags.rows = single_owner ? all_rows_ : rows_.data() + id;
  if (table_.weighted) bags.weights = single_owner ? all_weights_ : weights_.data() + id;
  bags.places = single_owner || !with_places_ ? nullptr : places_.data() + id;
  return bags;
}

}  // namespace tesserec::sharding
