// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include <tesserec/embedding/block_of.hpp>

namespace tesserec::embedding {

/// Ids of a long bag, grouped by subtrees of row blocks. A group has 16 to 32 ids if these spread evenly over the
/// blocks. Buffers are reused between bags.
class LongBag {
 public:
  void sort(const BlockOf& block_of, const Index* ids, Index length) {
    const int bits =
        std::clamp<int>(std::bit_width(std::uint64_t(length)) - 5, 1, std::countr_zero(std::uint64_t(block_count)));
    const int shift = std::countr_zero(std::uint64_t(block_count)) - bits;
    starts_.assign((Index{1} << bits) + 2, 0);
    for (Index i = 0; i < length; ++i) ++starts_[(block_of(ids[i]) >> shift) + 2];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    ids_.resize(length);
    places_.resize(length);
    for (Index i = 0; i < length; ++i) {
      const Index to = starts_[(block_of(ids[i]) >> shift) + 1]++;
      ids_[to] = ids[i];
      places_[to] = i;
    }
  }

  Index groups() const { return std::ssize(starts_) - 2; }
  Range group(Index g) const { return {starts_[g], starts_[g + 1]}; }
  /// Returns the ids of a group, in bag order.
  const Index* ids(Range group) const { return ids_.data() + group.begin; }
  /// Returns the positions of a group's ids in the bag.
  const Index* places(Range group) const { return places_.data() + group.begin; }

  /// Sorts a group by block, and keeps bag order inside a block. Counts, because a group of many ids has few blocks.
  void order_blocks(const BlockOf& block_of, Range group) {
    const Index blocks = block_count / groups();
    const auto block_in_group = [&](Index id) { return block_of(id) & (blocks - 1); };
    block_starts_.assign(blocks + 1, 0);
    for (Index i = group.begin; i < group.end; ++i) ++block_starts_[block_in_group(ids_[i]) + 1];
    std::partial_sum(block_starts_.begin(), block_starts_.end(), block_starts_.begin());
    ordered_ids_.resize(group.size());
    ordered_places_.resize(group.size());
    for (Index i = group.begin; i < group.end; ++i) {
      const Index to = block_starts_[block_in_group(ids_[i])]++;
      ordered_ids_[to] = ids_[i];
      ordered_places_[to] = places_[i];
    }
    std::copy(ordered_ids_.begin(), ordered_ids_.end(), ids_.begin() + group.begin);
    std::copy(ordered_places_.begin(), ordered_places_.end(), places_.begin() + group.begin);
  }

 private:
  std::vector<Index> starts_;  // [groups + 2] after sort(): begin of each group, then the end of the last
  std::vector<Index> ids_, places_;
  std::vector<Index> block_starts_, ordered_ids_, ordered_places_;  // of the group in order_blocks()
};

}  // namespace tesserec::embedding
