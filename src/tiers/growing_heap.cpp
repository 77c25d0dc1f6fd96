// SPDX-License-Identifier: Apache-2.0
#include "growing_heap.hpp"

#include <algorithm>

namespace tesserec::tiers {

LeavingHeaps::LeavingHeaps(const Exec& exec, const BlockPlaces& places, LeavingOrder order, const PlacedId* ids)
    : places_(places), order_(order), ids_(ids), sizes_(places.blocks.size()) {
  if (order_ == LeavingOrder::none) return;
  entries_ = make_vector<Leaving>(exec, "tesserec::tiers::leaving", places_.size());
  positions_ = make_vector<std::uint32_t>(exec, "tesserec::tiers::positions", places_.size());
}

void LeavingHeaps::push(Index block, Index place) {
  if (order_ == LeavingOrder::none) return;
  const std::uint32_t at = sizes_[block]++;
  heap(block)[at] = entry_of(place);
  sift_up(heap(block), at);
}

void LeavingHeaps::remove(Index block, Index place) {
  if (order_ == LeavingOrder::none) return;
  Leaving* const heap = this->heap(block);
  const std::uint32_t at = positions_[place], size = --sizes_[block];
  if (at == size) return;
  put(heap, at, heap[size]);
  sift_up(heap, at);
  sift_down(heap, size, at);
}

Index LeavingHeaps::next(Index block, Index kept, std::vector<Index>& aside) {
  if (order_ == LeavingOrder::none) return none;
  Leaving* const heap = this->heap(block);
  while (sizes_[block] > 0) {
    const Index place = heap[0].place;
    const Leaving now = entry_of(place);
    if (now.first != heap[0].first || now.second != heap[0].second) {
      heap[0] = now;
      sift_down(heap, sizes_[block], 0);
    } else if (ids_[place].last < kept) {
      return place;
    } else if (order_ == LeavingOrder::last) {
      return none;
    } else {
      remove(block, place);
      aside.push_back(place);
    }
  }
  return none;
}

void LeavingHeaps::restore(Index block, std::vector<Index>& aside) {
  for (const Index place : aside) push(block, place);
  aside.clear();
}

LeavingHeaps::Leaving LeavingHeaps::entry_of(Index place) const {
  const PlacedId& id = ids_[place];
  if (order_ == LeavingOrder::batches) return {id.batches, id.last, std::uint32_t(place)};
  return {id.last, 0, std::uint32_t(place)};
}

bool LeavingHeaps::before(const Leaving& a, const Leaving& b) const {
  if (a.first != b.first) return a.first < b.first;
  if (a.second != b.second) return a.second < b.second;
  return ids_[a.place].id < ids_[b.place].id;
}

void LeavingHeaps::put(Leaving* heap, std::uint32_t at, const Leaving& entry) const {
  heap[at] = entry;
  positions_[entry.place] = at;
}

void LeavingHeaps::sift_up(Leaving* heap, std::uint32_t at) const {
  const Leaving entry = heap[at];
  while (at > 0) {
    const std::uint32_t parent = (at - 1) / arity_;
    if (!before(entry, heap[parent])) break;
    put(heap, at, heap[parent]);
    at = parent;
  }
  put(heap, at, entry);
}

void LeavingHeaps::sift_down(Leaving* heap, std::uint32_t size, std::uint32_t at) const {
  const Leaving entry = heap[at];
  for (std::uint32_t first = arity_ * at + 1; first < size; first = arity_ * at + 1) {
    std::uint32_t least = first;
    for (std::uint32_t child = first + 1; child < std::min(size, first + arity_); ++child)
      if (before(heap[child], heap[least])) least = child;
    if (!before(heap[least], entry)) break;
    put(heap, at, heap[least]);
    at = least;
  }
  put(heap, at, entry);
}

}  // namespace tesserec::tiers
