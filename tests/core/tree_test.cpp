// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "catch.hpp"
#include <tesserec/core/lanes.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/core/tree.hpp>

using namespace tesserec;

namespace {

/// A sum by the definition: a leaf, or left half plus right half; an absent half adds nothing.
struct Sum {
  bool present = false;
  float value = 0;
};
Sum by_definition(const std::vector<Sum>& leaves, std::size_t begin, std::size_t end) {
  if (end - begin == 1) return leaves[begin];
  const Sum left = by_definition(leaves, begin, (begin + end) / 2);
  const Sum right = by_definition(leaves, (begin + end) / 2, end);
  if (!left.present) return right;
  if (!right.present) return left;
  return {true, left.value + right.value};
}

}  // namespace

TEST_CASE("TreeOrder: gives the bits of the recursive definition for any partition of the leaves") {
  const Random random(3, Purpose::test);
  for (Index trial = 0; trial < 400; ++trial) {
    const std::size_t leaves = std::size_t{1} << random.below(11, trial, 0);
    const double density = random.uniform53(trial, 1);
    std::vector<Sum> values(leaves);
    for (std::size_t i = 0; i < leaves; ++i)
      if (random.uniform53(trial, 10 + 2 * static_cast<Index>(i)) < density)
        values[i] = {true, random.normal(trial, 11 + 2 * static_cast<Index>(i))};
    const Sum expected = by_definition(values, 0, leaves);

    const auto owners = static_cast<Index>(1 + random.below(7, trial, 4000));
    TreeOrder whole(whole_tree);
    std::vector<float> total(TreeOrder::max_slots);
    const auto merge_total = [&](int into, int from) { total[into] += total[from]; };
    for (Index owner = 0; owner < owners; ++owner) {
      const auto n = static_cast<Index>(leaves);
      const Range range{owner * n / owners, (owner + 1) * n / owners};
      TreeOrder own(range);
      std::vector<float> partial(TreeOrder::max_slots);
      const auto merge = [&](int into, int from) { partial[into] += partial[from]; };
      for (Index i = range.begin; i < range.end; ++i)
        if (values[i].present) {
          const int slot = own.push(i, merge);
          partial[slot] = values[i].value;
        }
      own.finish(merge);
      for (int i = 0; i < own.size(); ++i) {
        const int slot = whole.push(own.leaf(i), merge_total);
        total[slot] = partial[i];
      }
    }
    whole.finish(merge_total);
    REQUIRE((whole.size() == 1) == expected.present);
    if (expected.present) REQUIRE(total[0] == expected.value);
  }
}

TEST_CASE("Lanes: partitions every batch completely as BatchSplit does") {
  for (const int count : {1, 2, 8, 64})
    for (const Index n : {1, 5, 63, 128, 1000, 2048}) {
      const Lanes lanes(count);
      const BatchSplit split(lanes, 1, n);
      Index at = 0;
      for (int l = 0; l < count; ++l) {
        const Range r = lanes.samples(l, n);
        REQUIRE(r.begin == at);
        at = r.end;
        for (Index s = r.begin; s < r.end; ++s) REQUIRE(split.lane_of(s) == l);
      }
      REQUIRE(at == n);
    }
  REQUIRE(Lanes::automatic(128) == 2);
  REQUIRE(Lanes::automatic(2048) == 8);
  REQUIRE(Lanes::automatic(65536) == 64);
  REQUIRE(Lanes::automatic(1) == 1);
}

TEST_CASE("BatchSplit: micro-batches divide a batch between lanes and each is split over the ranks") {
  for (const int micro_batches : {1, 2, 8})
    for (const Index n : {1, 5, 63, 1000}) {
      const Lanes lanes(16, micro_batches);
      Index lane = 0, sample = 0;  // the next lane and sample expected, micro-batch by micro-batch, rank by rank
      for (int j = 0; j < micro_batches; ++j) {
        const BatchSplit split(lanes, 2, n, j);
        const Index first = sample;
        REQUIRE(split.lane_count() == 16);
        for (int rank = 0; rank < 2; ++rank) {
          REQUIRE(split.lanes(rank) == lanes.of_rank(rank, 2, j));
          REQUIRE(lanes.of_rank(rank, 2, j).begin == lane);
          REQUIRE(lanes.samples_of_rank(rank, 2, n, j).begin == sample);
          lane = lanes.of_rank(rank, 2, j).end;
          sample = lanes.samples_of_rank(rank, 2, n, j).end;
          REQUIRE(split.samples(rank) == Range{lanes.samples_of_rank(rank, 2, n, j).begin - first, sample - first});
        }
        REQUIRE(split.global_size() == sample - first);
        for (Index s = first; s < sample; ++s) {
          const int owner = split.lane_of(s - first);
          REQUIRE(lanes.samples(owner, n).contains(s));
          REQUIRE(split.lane(owner).contains(s - first));
        }
      }
      REQUIRE(lane == 16);
      REQUIRE(sample == n);
    }
}

TEST_CASE("BatchSplit: given sizes per rank fill each rank's own lanes") {
  const Lanes lanes(8);
  for (const int ranks : {1, 2, 3, 4, 8})
    for (const Index n : {5, 11, 128, 1001}) {
      std::vector<Index> sizes;
      for (int r = 0; r < ranks; ++r) sizes.push_back(lanes.samples_of_rank(r, ranks, n).size());
      const BatchSplit law(lanes, ranks, n), same(lanes, sizes);
      for (int r = 0; r < ranks; ++r) REQUIRE(law.samples(r) == lanes.samples_of_rank(r, ranks, n));
      for (int l = 0; l < 8; ++l) REQUIRE(same.lane(l) == law.lane(l));
    }
  const std::vector<Index> sizes = {7, 0, 4};
  const BatchSplit split(lanes, sizes);
  REQUIRE(split.global_size() == 11);
  REQUIRE(split.samples(0) == Range{0, 7});
  REQUIRE(split.samples(1) == Range{7, 7});
  REQUIRE(split.samples(2) == Range{7, 11});
  for (int r = 0; r < 3; ++r) {
    REQUIRE(split.lanes(r) == lanes.of_rank(r, 3));
    const Range own = split.lanes(r);
    for (Index s = split.samples(r).begin; s < split.samples(r).end; ++s) REQUIRE(own.contains(split.lane_of(s)));
    for (Index l = own.begin; l < own.end; ++l)  // evenly
      REQUIRE(std::abs(split.lane(static_cast<int>(l)).size() * own.size() - sizes[r]) < own.size());
  }
}
