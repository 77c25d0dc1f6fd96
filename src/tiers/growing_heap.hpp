// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "growing_places.hpp"
#include <tesserec/core/kokkos.hpp>

namespace tesserec::tiers {

/// Order in which ids leave a list: by (last batch, id), by (batches, last batch, id), or not at all.
enum class LeavingOrder { none, last, batches };

/// Heap of each block's places in the order of leaving. A use only moves an id back in this order, so the heap learns
/// of it when the id's entry reaches the top. Threads may change different blocks at once.
class LeavingHeaps {
 public:
  static constexpr Index none = -1;

  /// Takes the ids of all places, which must outlive the heaps.
  LeavingHeaps(const Exec& exec, const BlockPlaces& places, LeavingOrder order, const PlacedId* ids);

  void push(Index block, Index place);
  void remove(Index block, Index place);
  void clear() { std::fill(sizes_.begin(), sizes_.end(), 0u); }
  /// Returns the first place of a block to leave, or `none`. The batches from `kept` on keep their ids. Places that
  /// were passed over are added to `aside` and must be given to restore() before the next batch.
  Index next(Index block, Index kept, std::vector<Index>& aside);
  void restore(Index block, std::vector<Index>& aside);
  Index bytes() const {
    return std::ssize(entries_) * Index{sizeof(Leaving)} + std::ssize(positions_) * Index{sizeof(std::uint32_t)};
  }

 private:
  struct Leaving {
    std::uint32_t first, second, place;
  };
  static constexpr std::uint32_t arity_ = 4;  // half the depth of a binary heap

  Leaving* heap(Index block) const { return entries_.data() + places_.first(block); }
  Leaving entry_of(Index place) const;
  bool before(const Leaving& a, const Leaving& b) const;
  void put(Leaving* heap, std::uint32_t at, const Leaving& entry) const;
  void sift_up(Leaving* heap, std::uint32_t at) const;
  void sift_down(Leaving* heap, std::uint32_t size, std::uint32_t at) const;

  BlockPlaces places_;
  LeavingOrder order_;
  const PlacedId* ids_;               // [place]
  Vector<Leaving> entries_;           // [place]: the heap of each block begins at its first place
  Vector<std::uint32_t> positions_;   // [place] position in the heap
  std::vector<std::uint32_t> sizes_;  // [block]
};

}  // namespace tesserec::tiers
