// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "growing_places.hpp"

namespace tesserec::tiers {

/// Order in which ids leave a list: by (last batch, id), by (batches, last batch, id), or not at all.
enum class LeavingOrder { none, last, batches };

/// Choice of the id that leaves a block. A block sorts its first ids in the order of leaving and goes through them. It
/// scans all its places only when none of these is left. A use moves an id back in this order, which a block finds out
/// when it reaches the id. Threads may change different blocks at once.
class LeavingIds {
 public:
  static constexpr Index none = -1;

  /// Takes the ids of all places, which must outlive this object.
  LeavingIds(const BlockPlaces& places, LeavingOrder order, const PlacedId* ids)
      : places_(places), order_(order), ids_(ids), queues_(places.blocks.size()) {}

  /// Takes note of an id that was added at a place. Ids that leave otherwise than by take() need no call.
  void add(Index block, Index place);
  void clear() { queues_.assign(queues_.size(), {}); }
  /// Returns the first place of a block to leave, or `none`. The caller must remove its id. `used`: of the block's
  /// places, the number of first ones that have had an id. The batches from `kept` on keep their ids. Places that were
  /// passed over are added to `aside` and must be given to restore() before the next batch.
  Index take(Index block, Index used, Index kept, std::vector<Index>& aside);
  void restore(Index block, std::vector<Index>& aside);
  /// Prefetches the places of some sorted ids that take() will look at, from the number `first` of them on, and calls
  /// use(id) for each.
  template <class Use>
  [[gnu::always_inline]] void look_ahead(Index block, std::size_t first, std::size_t count, const Use& use) const {
    const BlockQueue& queue = queues_[block];
    const std::size_t end = std::min(queue.next + first + count, queue.sorted.size());
    for (std::size_t i = queue.next + first; i < end; ++i) {
      __builtin_prefetch(&ids_[queue.sorted[i].place], 1);
      use(queue.sorted[i].rank.id);
    }
  }
  /// Returns the most bytes of large blocks' queues, or those that the queues have now if they are more.
  Index bytes() const;

 private:
  /// Position in the order of leaving.
  struct Rank {
    std::uint64_t use;
    Index id;
    auto operator<=>(const Rank&) const = default;
  };
  static constexpr Rank lowest_{1, std::numeric_limits<Index>::min()};  // of an id; empty places have use 0
  static constexpr Rank highest_{~std::uint64_t{0}, std::numeric_limits<Index>::max()};

  struct Leaving {
    Rank rank;  // when the id became a candidate
    std::uint32_t place;
  };
  /// Candidates of a block: each id whose rank is below `bound` is one, maybe with a rank from before its last use.
  struct BlockQueue {
    std::vector<Leaving> sorted{};
    std::size_t next = 0;         // of `sorted`
    std::vector<Leaving> late{};  // heap of those that became candidates, or got another rank, since the scan
    Rank bound = lowest_;
  };
  // Per place: a candidate for a quarter of the ids, with a third to spare. Used candidates become late ones where ids
  // leave by their batches, in a list that doubles.
  static constexpr Index sorted_bytes_ = 8, late_bytes_ = 12;

  /// Returns the rank of a place. Rows of a checkpoint without their uses have `last` 0.
  Rank rank_of(const PlacedId& id) const {
    if (id.batches == 0) return {0, id.id};
    return {order_ == LeavingOrder::batches ? std::uint64_t{id.batches} << 32 | id.last : std::uint64_t{id.last} + 1,
            id.id};
  }
  static bool pop(BlockQueue& queue, Leaving& first);
  static void push(BlockQueue& queue, const Leaving& candidate);
  static void sort(std::span<Leaving> candidates);
  void refill(Range places, BlockQueue& queue, Rank from) const;
  Rank bound_of(Range places, Rank from) const;

  BlockPlaces places_;
  LeavingOrder order_;
  const PlacedId* ids_;             // [place]
  std::vector<BlockQueue> queues_;  // [block]
};

}  // namespace tesserec::tiers
