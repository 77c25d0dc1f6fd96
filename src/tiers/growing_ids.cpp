// SPDX-License-Identifier: Apache-2.0
#include "growing_ids.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace tesserec::tiers {

using embedding::BlockOf;

BlockIds::BlockIds(const Exec& exec, const BlockPlaces& places, LeavingOrder order)
    : places_(places),
      index_(exec, places.blocks.size(), (places.capacity + embedding::block_count - 1) / embedding::block_count),
      ids_(make_vector<PlacedId>(exec, "tesserec::tiers::ids", places.size())),
      leaving_(places, order, ids_.data()),
      fill_(places.blocks.size()) {}

void BlockIds::clear() {
  index_.clear();
  leaving_.clear();
  std::fill(fill_.begin(), fill_.end(), BlockFill());
}

Index BlockIds::insert(std::uint64_t hash, const IdUse& use) {
  const Index block = this->block(hash), begin = places_.first(block);
  assert(!full(block));
  BlockFill& fill = fill_[block];
  Index place = fill.empty;
  if (place < 0)
    place = begin + fill.touched++;
  else
    fill.empty = ids_[place].id;
  ++fill.size;
  ids_[place] = {use.id, std::uint32_t(use.last), std::uint32_t(use.batches)};
  index_.insert(block, hash, place - begin);
  leaving_.add(block, place);
  return place;
}

void BlockIds::erase(Index block, Index place) {
  BlockFill& fill = fill_[block];
  index_.erase(block, BlockOf::mixed(ids_[place].id), place - places_.first(block));
  ids_[place] = {std::exchange(fill.empty, place), 0, 0};
  --fill.size;
}

std::vector<Index> BlockIds::in_order() const {
  std::vector<Index> result;
  for (Index block = 0; block < places_.blocks.size(); ++block) {
    const auto begin = std::ssize(result);
    for (Index place = places_.first(block); place < places_.first(block) + fill_[block].touched; ++place)
      if (ids_[place].batches > 0) result.push_back(place);
    std::sort(result.begin() + begin, result.end(), [&](Index a, Index b) { return ids_[a].id < ids_[b].id; });
  }
  return result;
}

}  // namespace tesserec::tiers
