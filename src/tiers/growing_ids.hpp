// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cassert>
#include <vector>

#include "growing_index.hpp"
#include "growing_leaving.hpp"
#include <tesserec/tiers/growing_rows.hpp>

namespace tesserec::tiers {

/// Ids of some blocks with their uses, each in a place that it keeps. Threads may change different blocks at once.
class BlockIds {
 public:
  static constexpr Index none = -1;

  BlockIds(const Exec& exec, const BlockPlaces& places, LeavingOrder order);

  const BlockPlaces& places() const { return places_; }
  Index size(Index block) const { return fill_[block].size; }
  bool full(Index block) const { return size(block) == places_.size(block); }
  /// Returns the index, among the blocks here, of an id's block.
  Index block(std::uint64_t hash) const { return Index(hash >> 54) - places_.blocks.begin; }

  // Functions that only prefetch are inline always, because GCC drops their calls.
  [[gnu::always_inline]] void prefetch(std::uint64_t hash) const { index_.prefetch(block(hash), hash); }
  /// Prefetches a place that may be the id's, and returns it. Returns IdIndex::none or IdIndex::absent as
  /// IdIndex::guess does.
  [[gnu::always_inline]] Index guess(std::uint64_t hash) const {
    const Index place = index_.guess(block(hash), hash);
    if (place < 0) return place;
    __builtin_prefetch(&ids_[places_.first(block(hash)) + place], 1);
    return places_.first(block(hash)) + place;
  }
  /// Returns the place of an id, or `none`. `guessed`: result of guess(), if the block's ids have not changed since;
  /// else `none`.
  Index find(Index id, std::uint64_t hash, Index guessed = none) const {
    if (guessed == IdIndex::absent || (guessed >= 0 && ids_[guessed].id == id)) {
      assert(find(id, hash) == std::max(guessed, none));
      return std::max(guessed, none);
    }
    const Index begin = places_.first(block(hash));
    const Index place = index_.find(block(hash), hash, [&](Index p) { return ids_[begin + p].id == id; });
    return place < 0 ? none : begin + place;
  }

  /// Counts a use in a batch, once. `threads`: other threads may use the same id now.
  void use(Index place, std::uint32_t batch, bool threads = false) const;
  IdUse use_of(Index place) const { return {ids_[place].id, ids_[place].last, ids_[place].batches}; }

  /// Adds an id that a block with an empty place lacks, and returns its place.
  Index insert(std::uint64_t hash, const IdUse& use);
  void erase(Index block, Index place);
  void clear();
  /// Prefetches what next_to_leave() needs for the first ids.
  [[gnu::always_inline]] void prefetch_leaving(Index block) const { prefetch_leaving(block, 0, leaving_ahead_); }
  /// Does the same as LeavingIds::take. The caller must erase the place.
  Index next_to_leave(Index block, Index kept, std::vector<Index>& aside) {
    prefetch_leaving(block, leaving_ahead_, 1);
    return leaving_.take(block, fill_[block].touched, kept, aside);
  }
  /// Does the same as LeavingIds::restore.
  void restore(Index block, std::vector<Index>& aside) { leaving_.restore(block, aside); }

  /// Returns the places in use, by block, then id.
  std::vector<Index> in_order() const;
  Index bytes() const { return index_.bytes() + leaving_.bytes() + places_.size() * Index{sizeof(PlacedId)}; }

 private:
  static constexpr std::size_t leaving_ahead_ = 8;  // ids whose cache misses are in flight

  [[gnu::always_inline]] void prefetch_leaving(Index block, std::size_t first, std::size_t count) const {
    leaving_.look_ahead(block, first, count, [&](Index id) { index_.prefetch(block, embedding::BlockOf::mixed(id)); });
  }

  struct BlockFill {
    Index size = 0;
    Index touched = 0;  // places that have been used
    Index empty = -1;   // first of the list of other empty places
  };

  BlockPlaces places_;
  IdIndex index_;
  Vector<PlacedId> ids_;  // [place]
  LeavingIds leaving_;
  std::vector<BlockFill> fill_;  // [block]
};

inline void BlockIds::use(Index place, std::uint32_t batch, bool threads) const {
  PlacedId& id = ids_[place];
  if (!threads) {
    if (id.last == batch) return;
    id.last = batch;
    ++id.batches;
    return;
  }
  std::atomic_ref last(id.last);
  if (last.load(std::memory_order_relaxed) == batch || last.exchange(batch, std::memory_order_relaxed) == batch) return;
  ++id.batches;  // one thread gets here
}

}  // namespace tesserec::tiers
