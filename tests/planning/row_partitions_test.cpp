// SPDX-License-Identifier: Apache-2.0
// The least price of a table by the best length a block, compared with all lengths.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "random_tables.hpp"
#include "src/planning/problem.hpp"

using namespace tesserec;
using namespace tesserec::planning;

TEST_CASE("the bound of a table misses no length, and cuts keep the least rows of a piece") {
  if (comm::Communicator(MPI_COMM_WORLD).size() > 1) return;
  int cut = 0, tight = 0;
  for (const std::uint64_t k : {20u, 83u, 46u}) {
    auto set = random_tables::random_set(k, {.skewed = k % 2 == 1});
    if (k == 46) set.topology.exchange = {2, 2.0};  // finished vectors travel in 16 bits
    const auto planner = set.planner();
    const Random random(k, Purpose::test);
    for (Index trial = 0; trial < 60; ++trial) {
      const Index min_rows = trial % 3 == 0 ? 1 : Index(std::pow(10, 1 + trial % 5));
      const Problem problem = make_problem(set.tables, planner.model(), min_rows);
      const FreeTable& table = *problem.free[trial % std::ssize(problem.free)];
      const FreeTable::Cut& way = table.cuts()[trial % std::ssize(table.cuts())];
      const auto draw = [&](Index column) { return random.uniform53(trial, column); };
      const double room = way.whole.owner.seconds * (trial % 4 == 3 ? 1 + 1e-9 : 0.1 + 0.8 * draw(4));
      const Price price{draw(5) / room, 4 * draw(6) * problem.ranks / room, 0, 0};
      // As wide as the average, as here all pieces are.
      const TableCosts& costs = table.costs(way);
      if (costs.dim() % (4 * way.columns) != 0) continue;
      const Index width = costs.dim() / way.columns, end = embedding::block_count;
      const Index last = costs.blocks().block(Index(costs.rows()) - 1);
      const auto priced = [&](Index begin, Index end) {
        if (end - begin < embedding::block_count && costs.blocks().rows({begin, end}).size() < min_rows)
          return RowPartitions::none;
        const ShardLoad piece = costs.shard({begin, end}, {0, width}, way.form);
        return piece.owner.seconds <= room ? price.of(piece) : RowPartitions::none;
      };
      double rate = RowPartitions::none, least = priced(0, end);
      Index shortest = 0;
      for (Index n = last; n > 0; --n) {
        rate = std::min(rate, priced(0, n) / double(n));
        if (priced(0, n) < RowPartitions::none) shortest = n;
      }
      for (Index begin = std::max<Index>(1, shortest); begin <= last && rate < RowPartitions::none; ++begin)
        least = std::min(least, rate * double(begin) + priced(begin, end));
      INFO("set " << k << ", trial " << trial << ", least rows " << min_rows);
      const Load most{room, 1e300};
      const double bound = way.partitions.relaxed(most, price);
      if (least < RowPartitions::none)
        CHECK(bound == Approx(least).epsilon(1e-9));
      else
        CHECK(bound >= RowPartitions::none);
      std::vector<Index> borders;
      const double exact = way.partitions.least(most, price, 0, 1, borders);
      CHECK(exact >= bound * (1 - 1e-9));
      if (exact == RowPartitions::none) continue;
      double sum = 0;
      for (std::size_t i = 0; i + 1 < borders.size(); ++i) sum += priced(borders[i], borders[i + 1]);
      CHECK(sum == Approx(exact));  // none of the pieces is too short
      cut += borders.size() > 2;
      tight += borders.size() > 2 && min_rows > 1;
    }
  }
  CHECK(cut > 10);
  CHECK(tight > 3);
}
