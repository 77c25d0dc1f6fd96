// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/embedding/block_of.hpp>

namespace tesserec::tiers {

/// Returns the number of rows of a table's capacity that the blocks before `block` own. The shares of blocks differ by
/// at most one row.
inline Index share_begin(Index capacity, Index block) { return block * capacity / embedding::block_count; }

/// Places of the ids of some blocks: each block has an even share of a table's capacity. `block` counts from the first
/// of these blocks.
struct BlockPlaces {
  Range blocks;
  Index capacity = 0;  // of the table

  /// Returns the first place of a block.
  Index first(Index block) const {
    return share_begin(capacity, blocks.begin + block) - share_begin(capacity, blocks.begin);
  }
  Index size() const { return first(blocks.size()); }
  Index size(Index block) const { return first(block + 1) - first(block); }
};

/// Id at a place, with its use.
struct PlacedId {
  Index id;                     // in an empty place: the next empty place of the block, or -1
  std::uint32_t last, batches;  // batches: 0 = the place is empty
};

}  // namespace tesserec::tiers
