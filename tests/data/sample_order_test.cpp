// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <set>

#include "catch.hpp"
#include <tesserec/data/sample_order.hpp>

using namespace tesserec;
using data::SampleOrder;

namespace {

data::Deal deal(Index batch_size, int lanes, bool shuffle, int rank = 0, int ranks = 1, std::uint64_t seed = 3) {
  return {rank, ranks, Lanes(lanes), batch_size, shuffle, seed};
}

std::vector<Index> epoch_of(SampleOrder& order) {
  std::vector<Index> all;
  for (Index k = 0; k < order.batches(); ++k) {
    const auto& batch = order.batch(k);
    REQUIRE(static_cast<Index>(batch.size()) == order.local_samples(k));
    all.insert(all.end(), batch.begin(), batch.end());
  }
  return all;
}

}  // namespace

TEST_CASE("SampleOrder: visits every sample exactly once per epoch when shuffled or not") {
  struct Case {
    Index samples, batch;
    int lanes;
  };
  // The cases cover whole and short last blocks, windows and batches, batches smaller than lanes, and one sample.
  for (const Case& c :
       {Case{1, 1, 1}, Case{7, 3, 4}, Case{100, 100, 8}, Case{8192, 512, 2}, Case{8193, 64, 8}, Case{40000, 6, 8},
        Case{100001, 2048, 4}, Case{65536, 1000, 1}, Case{131072, 2048, 2}, Case{200003, 70000, 2}})
    for (const bool shuffle : {false, true}) {
      SampleOrder order(c.samples, deal(c.batch, c.lanes, shuffle));
      order.start(5);
      auto all = epoch_of(order);
      REQUIRE(static_cast<Index>(all.size()) == c.samples);
      if (!shuffle) REQUIRE(std::is_sorted(all.begin(), all.end()));
      std::sort(all.begin(), all.end());
      std::vector<Index> expected(static_cast<std::size_t>(c.samples));
      std::iota(expected.begin(), expected.end(), Index{0});
      REQUIRE(all == expected);
    }
}

TEST_CASE("SampleOrder: the ranks' samples joined are the batch of one rank") {
  for (const bool shuffle : {false, true})
    for (const Index batch_size : {Index{5}, Index{1000}}) {
      SampleOrder one_rank(20011, deal(batch_size, 8, shuffle));
      for (const int ranks : {2, 3, 5, 8}) {
        std::vector<SampleOrder> orders;
        for (int r = 0; r < ranks; ++r) orders.emplace_back(20011, deal(batch_size, 8, shuffle, r, ranks));
        for (Index k = 0; k < one_rank.batches(); ++k) {
          std::vector<Index> joined;
          for (SampleOrder& order : orders) {
            const auto& local = order.batch(k);
            joined.insert(joined.end(), local.begin(), local.end());
          }
          REQUIRE(joined == one_rank.batch(k));
        }
      }
    }
}

TEST_CASE("SampleOrder: the micro-batches of all ranks joined are the batch") {
  for (const bool shuffle : {false, true})
    for (const auto& [samples, batch_size] :
         {std::pair<Index, Index>{20011, 1000}, {20011, 37}, {100003, 70000}, {5, 9}})
      for (const int micro_batches : {2, 4})
        for (const int ranks : {1, 2, 3}) {
          SampleOrder whole(samples, deal(batch_size, 16, shuffle));
          std::vector<SampleOrder> orders;
          for (int r = 0; r < ranks; ++r) {
            data::Deal micro = deal(batch_size, 16, shuffle, r, ranks);
            micro.lanes = Lanes(16, micro_batches);
            orders.emplace_back(samples, micro);
            orders.back().start(1);
          }
          whole.start(1);
          REQUIRE(orders[0].batches() == micro_batches * whole.batches());
          for (Index k = 0; k < whole.batches(); ++k) {
            std::vector<Index> joined;
            for (int j = 0; j < micro_batches; ++j)
              for (SampleOrder& order : orders) {
                const Index at = k * micro_batches + j;
                const auto& local = order.batch(at);
                REQUIRE(order.micro_batch(at) == j);
                REQUIRE(order.batch_samples(at) == whole.batch_samples(k));
                REQUIRE(order.local_samples(at) == std::ssize(local));
                joined.insert(joined.end(), local.begin(), local.end());
              }
            REQUIRE(joined == whole.batch(k));
          }
        }
}

TEST_CASE("SampleOrder: depends only on seed and epoch and lanes and on no earlier epoch") {
  const auto first = [](SampleOrder order, Index epoch) {
    order.start(epoch);
    return std::vector<Index>(order.batch(3));
  };
  const SampleOrder order(100000, deal(2048, 4, true));
  const auto base = first(order, 1);
  REQUIRE(base != first(order, 0));
  REQUIRE(base != first(SampleOrder(100000, deal(2048, 4, true, 0, 1, 4)), 1));
  REQUIRE(base != first(SampleOrder(100000, deal(2048, 8, true)), 1));
  SampleOrder used(100000, deal(2048, 4, true));
  epoch_of(used);
  REQUIRE(first(used, 1) == base);
}

TEST_CASE("SampleOrder: block order and permutation change with epoch and seed and window") {
  const auto blocks = [](std::uint64_t seed, Index epoch) {
    SampleOrder order(1000000, deal(2048, 1, true, 0, 1, seed));
    order.start(epoch);
    std::vector<Index> first;
    for (Index w = 0; w < 8; ++w)
      for (const Range& run : order.runs(0, w)) first.push_back(run.begin / data::order_block);
    return std::pair(first, order.permutation(0, 0));
  };
  const auto base = blocks(3, 1);
  for (const auto& [seed, epoch] : {std::pair<std::uint64_t, Index>{3, 0}, {3, 2}, {4, 1}}) {
    const auto other = blocks(seed, epoch);
    REQUIRE(other.first != base.first);
    REQUIRE(other.second != base.second);
  }
  REQUIRE(blocks(3, 1) == base);
  const SampleOrder order(1000000, deal(2048, 4, true));
  CHECK(order.permutation(0, 0) != order.permutation(1, 0));  // lanes
  CHECK(order.permutation(0, 0) != order.permutation(0, 1));  // windows
}

TEST_CASE("SampleOrder: a shuffled batch draws from many blocks and windows read whole runs") {
  SampleOrder order(1000000, deal(2048, 4, true));
  std::set<Index> blocks;
  for (const Index sample : order.batch(0)) blocks.insert(sample / data::order_block);
  REQUIRE(blocks.size() >= 14);  // 4 lanes, each with a window of 4 blocks or of pieces of 5
  for (int stream = 0; stream < order.streams(); ++stream) {
    const auto runs = order.runs(stream, 1);
    REQUIRE(runs.size() <= 6);
    Index total = 0;
    for (const Range& run : runs) total += run.size();
    REQUIRE(total == data::order_window);
  }
}

TEST_CASE("SampleOrder: spreads the places of a permuted window evenly") {
  SampleOrder order(data::order_window, deal(1024, 1, true));
  const auto permutation = order.permutation(0, 0);
  double sum = 0;
  for (std::size_t i = 0; i < 4096; ++i) sum += permutation[i];
  // The mean of 4096 draws without replacement from 0 .. 32767 has the standard error 139.
  REQUIRE(sum / 4096 == Approx(16383.5).margin(700));
}
