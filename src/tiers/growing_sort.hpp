// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::tiers {

/// Returns the bits of an id in the order of signed numbers.
inline std::uint64_t ordered_bits(Index id) { return std::uint64_t(id) ^ std::uint64_t{1} << 63; }

/// Sorts items by `less`, where keys of 64 bits are spread over their range, as random ids are. key(item) must not
/// decrease in the order of `less`. Puts the items into intervals of keys of equal length, about one in each, and sorts
/// the intervals. Leaves anything in `scratch`, which has as many items.
template <class Item, class Key, class Less>
void spread_sort(std::span<Item> items, const Key& key, const Less& less, std::span<Item> scratch) {
  assert(scratch.size() == items.size());
  if (items.size() < 2) return;
  std::uint64_t least = key(items[0]), most = least;
  for (const Item& item : items) {
    least = std::min(least, key(item));
    most = std::max(most, key(item));
  }
  const int range_bits = int(std::bit_width(most - least)),
            bits = std::min(range_bits, int(std::bit_width(items.size())));
  const auto interval = [&, shift = range_bits - bits](const Item& item) { return (key(item) - least) >> shift; };
  std::vector<std::uint32_t> ends(std::size_t{1} << bits);  // where the next item belongs, at last the interval's end
  for (const Item& item : items) ++ends[interval(item)];
  std::uint32_t begin = 0;
  for (std::uint32_t& end : ends) begin += std::exchange(end, begin);
  for (const Item& item : items) scratch[ends[interval(item)]++] = item;
  for (begin = 0; const std::uint32_t end : ends) {
    if (end - begin > 1) std::sort(scratch.begin() + begin, scratch.begin() + end, less);
    begin = end;
  }
  std::ranges::copy(scratch, items.begin());
}

}  // namespace tesserec::tiers
