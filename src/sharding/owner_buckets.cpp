// SPDX-License-Identifier: Apache-2.0
#include "owner_buckets.hpp"

#include <algorithm>

#include <tesserec/core/error.hpp>

namespace tesserec::sharding {

Index OwnerBags::from(Index sample) const {
  return std::lower_bound(samples.begin(), samples.end(), sample) - samples.begin();
}

embedding::Bags OwnerBags::bags(bool unpooled) const {
  return {.count = count(), .offsets = offsets, .ids = rows, .weights = weights, .unpooled = unpooled};
}

OwnerBuckets::OwnerBuckets(const embedding::EmbeddingBagConfig& table, Index key,
                           std::span<const std::uint16_t> owner_of, int owners, bool with_places)
    : table_(table), key_(key), owner_of_(owner_of), owners_(owners), with_places_(with_places) {}

Index OwnerBuckets::row_of(const jagged::KeyedJaggedTensor& sparse, Index id, Index sample) const {
  if (!table_.takes(id))
    fail("feature ", sparse.keys[key_], ", sample ", first_sample_ + sample, " of the batch: id ", id,
         " is outside table ", table_.whole(), " of ", table_.ids(), " rows");
  return table_.row(id);
}

void OwnerBuckets::fill(const jagged::KeyedJaggedTensor& sparse, Index first_sample) {
  first_sample_ = first_sample;
  if (table_.weighted && !sparse.weighted())
    fail("table ", table_.name, " is weighted, but the data has no weights for feature \"", sparse.keys[key_],
         "\"; add weights, or set weighted = false");
  if (owner_of_.empty()) return keep_all(sparse);
  count(sparse);
  place(sparse);
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
      const Index row = row_of(sparse, sparse.values(i), s);
      if (table_.half) rows_[i - begin] = row;
    }
    if (offsets[s] == offsets[s + 1]) continue;
    samples_.push_back(std::int32_t(s));
    offsets_.push_back(offsets[s + 1] - begin);
  }
  first_bag_ = {0, std::ssize(samples_)};
  first_id_ = {0, ids};
  all_rows_ = table_.half ? rows_.data() : sparse.values.data() + begin;
  all_weights_ = table_.weighted ? sparse.weights.data() + begin : nullptr;
}

/// Counts the ids of each owner, and its bags that have ids.
void OwnerBuckets::count(const jagged::KeyedJaggedTensor& sparse) {
  const Index* const offsets = sparse.offsets.data() + sparse.first_bag(key_);
  const embedding::BlockOf block_of = table_.block_of();
  const std::uint16_t* const owner_of = owner_of_.data();
  owner_of_id_.resize(offsets[sparse.stride] - offsets[0]);
  std::uint16_t* next = owner_of_id_.data();
  next_.assign(owners_, {});
  Next* const owners = next_.data();
  for (Index s = 0; s < sparse.stride; ++s)
    for (Index i = offsets[s]; i < offsets[s + 1]; ++i) {
      *next = owner_of[block_of(row_of(sparse, sparse.values(i), s))];
      Next& owner = owners[*next++];
      ++owner.id;
      owner.bag += owner.sample != s;
      owner.sample = s;
    }
  first_id_.assign(1, 0);
  first_bag_.assign(1, 0);
  for (const Next& owner : next_) {
    first_id_.push_back(first_id_.back() + owner.id);
    first_bag_.push_back(first_bag_.back() + owner.bag);
  }
}

/// Appends each id to its owner's list. Updates the bag's end without an unpredictable branch.
void OwnerBuckets::place(const jagged::KeyedJaggedTensor& sparse) {
  const Index* const offsets = sparse.offsets.data() + sparse.first_bag(key_);
  const Index ids = first_id_.back();
  samples_.resize(first_bag_.back());
  offsets_.resize(first_bag_.back() + owners_);
  rows_.resize(ids);
  places_.resize(with_places_ ? ids : 0);
  weights_.resize(table_.weighted ? ids : 0);
  for (int owner = 0; owner < owners_; ++owner) {
    next_[owner] = {first_id_[owner], first_bag_[owner] - 1, -1};
    offsets_[first_bag_[owner] + owner] = 0;
  }
  const std::uint16_t* owner_of_id = owner_of_id_.data();
  Next* const owners = next_.data();
  const Index* const first_id = first_id_.data();
  std::int32_t* const samples = samples_.data();
  Index *const ends = offsets_.data() + 1, *const rows = rows_.data();
  for (Index s = 0; s < sparse.stride; ++s)
    for (Index i = offsets[s]; i < offsets[s + 1]; ++i) {
      const std::uint16_t owner = *owner_of_id++;
      Next& next = owners[owner];
      const Index to = next.id++;
      next.bag += next.sample != s;
      next.sample = s;
      samples[next.bag] = std::int32_t(s);
      ends[next.bag + owner] = to + 1 - first_id[owner];
      rows[to] = table_.row(sparse.values(i));
      if (with_places_) places_[to] = i - offsets[0];
      if (table_.weighted) weights_[to] = sparse.weights(i);
    }
}

OwnerBags OwnerBuckets::of(int owner) const {
  const Index bag = first_bag_[owner], id = first_id_[owner];
  OwnerBags bags{.samples = {samples_.data() + bag, std::size_t(first_bag_[owner + 1] - bag)},
                 .offsets = offsets_.data() + bag + owner};
  const bool single_owner = owner_of_.empty();
  bags.rows = single_owner ? all_rows_ : rows_.data() + id;
  if (table_.weighted) bags.weights = single_owner ? all_weights_ : weights_.data() + id;
  bags.places = single_owner || !with_places_ ? nullptr : places_.data() + id;
  return bags;
}

}  // namespace tesserec::sharding
