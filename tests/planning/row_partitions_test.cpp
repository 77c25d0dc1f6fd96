// SPDX-License-Identifier: Apache-2.0
// The least price of a table by the best length a block, beside all lengths.
#include <algorithm>

#include "catch.hpp"
#include "random_tables.hpp"
#include "src/planning/dual_function.hpp"
#include "src/planning/problem.hpp"

using namespace tesserec;
using namespace tesserec::planning;

TEST_CASE("what a longer piece beats is not missed by the bound") {
  if (comm::Communicator(MPI_COMM_WORLD).size() > 1) return;
  int cut = 0;
  for (const std::uint64_t k : {20u, 83u, 46u}) {
    auto set = random_tables::random_set(k, {.skewed = k % 2 == 1});
    if (k == 46) set.topology.exchange = {2, 2.0};  // what is finished travels in 16 bits
    const auto planner = set.planner();
    const Problem problem = make_problem(set.tables, planner.model());
    const Random random(k, Purpose::test);
    for (Index trial = 0; trial < 40; ++trial) {
      const FreeTable& table = *problem.free[trial % std::ssize(problem.free)];
      const FreeTable::Cut& way = table.cuts()[trial % std::ssize(table.cuts())];
      const auto draw = [&](Index column) { return random.uniform53(trial, column); };
      const DualFunction dual({0.4 * draw(0), 0.3 * draw(1), 0.2 * draw(2), 0, 0.1 * draw(3)});
      const double room = way.whole.owner.seconds * (trial % 4 == 3 ? 1 : 0.1 + 0.8 * draw(4));
      const Price price{draw(5) / room, 4 * draw(6) * problem.ranks / room, 0, 0};
      const auto count = [&](double own) { return dual.of(own / room); };
      // As wide as the average, as here all pieces are.
      const TableCosts& costs = table.costs(way);
      const double width = double(costs.dim()) / double(way.columns);
      if (way.narrowest < 1) continue;
      const auto load = [&](Index begin, Index end) { return costs.shard({begin, end}, {0, Index(width)}, way.form); };
      const Index last = costs.blocks().block(Index(costs.rows()) - 1);
      const auto priced = [&](const ShardLoad& piece) {
        return piece.owner.seconds <= room ? price.of(piece) + count(piece.owner.seconds) : RowPartitions::none;
      };
      double rate = RowPartitions::none, least = RowPartitions::none;
      for (Index n = 1; n <= last; ++n) rate = std::min(rate, priced(load(0, n)) / double(n));
      for (Index begin = 0; begin <= last; ++begin)
        least =
            std::min(least, (begin > 0 ? rate * double(begin) : 0) + priced(load(begin, embedding::RowBlocks::count)));
      INFO("set " << k << ", trial " << trial);
      const Load most{room, 1e300};
      CHECK(way.partitions.relaxed(most, price, count).price == Approx(least).epsilon(1e-9));
      std::vector<Index> borders;
      const double exact = way.partitions.least(most, price, count, &borders);
      CHECK(exact >= least * (1 - 1e-9));
      // What is said of the pieces has that price.
      const auto sum = [&](const auto& all) {
        double sum = 0;
        for (const auto& [times, piece] : all)
          if (times > 0) sum += times * (price.of(piece) + count(piece.owner.seconds));
        return sum;
      };
      if (least < RowPartitions::none) CHECK(sum(way.partitions.relaxed(most, price, count).pieces) == Approx(least));
      if (exact < RowPartitions::none) CHECK(sum(way.partitions.pieces(borders)) == Approx(exact));
      cut += exact < RowPartitions::none && exact > price.of(way.whole) * (1 + 1e-9);
    }
  }
  CHECK(cut > 10);
}
