// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::tiers {

/// Returns the bits of an id in the order of signed numbers.
inline std::uint64_t ordered_bits(Index id) { return std::uint64_t(id) ^ std::uint64_t{1} << 63; }

/// Sort of items by keys of 64 bits that are spread over their range, as those of random ids are.
template <class Item>
class SpreadSort {
 public:
  /// Sorts by `less`, in whose order key(item) must not fall. Puts the items into intervals of keys of equal length,
  /// about one in each, and sorts the intervals.
  template <class Key, class Less>
  void operator()(std::span<Item> items, const Key& key, const Less& less) {
    if (items.size() < 2) return;
    std::uint64_t least = key(items[0]), most = least;
    for (const Item& item : items) {
      least = std::min(least, key(item));
      most = std::max(most, key(item));
    }
    const int range_bits = int(std::bit_width(most - least)),
              bits = std::min(range_bits, int(std::bit_width(items.size())));
    const auto interval = [&, shift = range_bits - bits](const Item& item) { return (key(item) - least) >> shift; };
    ends_.assign(std::size_t{1} << bits, 0);
    for (const Item& item : items) ++ends_[interval(item)];
    std::uint32_t begin = 0;
    for (std::uint32_t& end : ends_) begin += std::exchange(end, begin);
    sorted_.resize(items.size());
    for (const Item& item : items) sorted_[ends_[interval(item)]++] = item;
    for (begin = 0; const std::uint32_t end : ends_) {
      if (end - begin > 1) std::sort(sorted_.begin() + begin, sorted_.begin() + end, less);
      begin = end;
    }
    std::ranges::copy(sorted_, items.begin());
  }

 private:
  std::vector<Item> sorted_{};
  std::vector<std::uint32_t> ends_{};  // [interval] where the next item belongs, in the end where the interval ends
};

}  // namespace tesserec::tiers
