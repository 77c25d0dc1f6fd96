// SPDX-License-Identifier: Apache-2.0
#include "src/tiers/growing_sort.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "catch.hpp"

using namespace tesserec;

namespace {

/// Id of a place in its list.
struct PlacedNumber {
  Index id, place;
  bool operator==(const PlacedNumber&) const = default;
};

std::vector<PlacedNumber> placed(const std::vector<Index>& ids) {
  std::vector<PlacedNumber> result;
  for (const Index id : ids) result.push_back({id, std::ssize(result) * 7919 % 1009});
  return result;
}

}  // namespace

TEST_CASE("spread_sort: sorts ids that are random, close, equal, few or at the ends of their range") {
  constexpr Index least = std::numeric_limits<Index>::min(), most = std::numeric_limits<Index>::max();
  std::mt19937_64 random{5};
  std::vector<std::vector<Index>> lists{{}, {3}, {4, -4}, {most, least}, {most, 0, least, -1, 1, most, least}};
  for (const int size : {2, 3, 17, 64, 1000}) {
    for (const std::uint64_t range : {1ull, 2ull, 5ull, 300ull, 1ull << 40, ~0ull}) {
      lists.emplace_back();
      for (int i = 0; i < size; ++i) lists.back().push_back(Index(random() % range - range / 2));
    }
    lists.emplace_back();
    for (int i = 0; i < size; ++i) lists.back().push_back(Index((std::uint64_t{1} << i % 64) - std::uint64_t(i % 3)));
  }
  for (const std::vector<Index>& ids : lists) {
    const auto less = [](const PlacedNumber& a, const PlacedNumber& b) {
      return a.id != b.id ? a.id < b.id : a.place < b.place;
    };
    std::vector<PlacedNumber> expected = placed(ids);
    std::sort(expected.begin(), expected.end(), less);
    INFO(ids.size() << " ids, the first " << (ids.empty() ? 0 : ids[0]));
    for (const int key_bits : {64, 14}) {
      std::vector<PlacedNumber> sorted = placed(ids), scratch(ids.size());
      tiers::spread_sort(
          std::span(sorted), [=](const PlacedNumber& n) { return tiers::ordered_bits(n.id) >> (64 - key_bits); }, less,
          std::span(scratch));
      CHECK(sorted == expected);
    }
  }
}
