// SPDX-License-Identifier: Apache-2.0
// RowPartitions: the bound on a table's price against all lengths of a piece, and the cuts that it finds.
#include <algorithm>
#include <cmath>
#include <map>

#include "catch.hpp"
#include "random_tables.hpp"
#include "src/planning/problem.hpp"

using namespace tesserec;
using namespace tesserec::planning;

TEST_CASE("RowPartitions: relaxed() misses no length and least() keeps the least rows of a piece") {
  if (comm::Communicator(MPI_COMM_WORLD).size() > 1) return;
  int cut_count = 0, tight = 0;
  for (const std::uint64_t k : {20u, 83u, 46u}) {
    auto set = random_tables::random_set(k, {.skewed = k % 2 == 1});
    if (k == 46) set.topology.exchange = {2, 2.0};  // finished vectors travel in 16 bits
    const auto planner = set.planner();
    const Random random(k, Purpose::test);
    std::map<Index, Problem> problems;  // by min_rows
    for (Index trial = 0; trial < 60; ++trial) {
      const Index min_rows = trial % 3 == 0 ? 1 : Index(std::pow(10, 1 + trial % 5));
      if (problems.count(min_rows) == 0)
        problems.emplace(min_rows, make_problem(set.tables, planner.model(), min_rows));
      const Problem& problem = problems.at(min_rows);
      const FreeTable& table = *problem.free[trial % std::ssize(problem.free)];
      const FreeTable::Cut& cut = table.cuts()[trial % std::ssize(table.cuts())];
      const auto draw = [&](Index column) { return random.uniform53(trial, column); };
      const double capacity = cut.whole.owner.seconds * (trial % 4 == 3 ? 1 + 1e-9 : 0.1 + 0.8 * draw(4));
      const Price price{draw(5) / capacity, 4 * draw(6) * problem.ranks / capacity, 0, 0};
      // All pieces here have the average width.
      const TableCosts& costs = table.costs(cut);
      if (costs.dim() % (4 * cut.columns) != 0) continue;
      const Index width = costs.dim() / cut.columns, end = embedding::block_count;
      const Index last = costs.blocks().block(Index(costs.rows()) - 1);
      const auto priced = [&](Index begin, Index end) {
        if (end - begin < embedding::block_count && costs.blocks().rows({begin, end}).size() < min_rows)
          return RowPartitions::none;
        const ShardLoad piece = costs.shard({begin, end}, {0, width}, cut.form);
        return piece.owner.seconds <= capacity ? price.of(piece) : RowPartitions::none;
      };
      double rate = RowPartitions::none, least = priced(0, end);
      Index shortest = 0;
      for (Index n = last; n > 0; --n) {
        rate = std::min(rate, priced(0, n) / double(n));
        if (costs.blocks().rows({0, n}).size() >= min_rows) shortest = n;
      }
      for (Index begin = std::max<Index>(1, shortest); begin <= last && rate < RowPartitions::none; ++begin)
        least = std::min(least, rate * double(begin) + priced(begin, end));
      INFO("set " << k << ", trial " << trial << ", least rows " << min_rows);
      const Load limit{capacity, 1e300};
      const double bound = cut.partitions.relaxed(limit, price);
      if (least < RowPartitions::none)
        CHECK(bound == Approx(least).epsilon(1e-5));
      else
        CHECK(bound >= RowPartitions::none);
      std::vector<Index> borders;
      const double exact = cut.partitions.least(limit, price, 0, 1, borders);
      CHECK(exact >= bound * (1 - 1e-9));
      if (exact == RowPartitions::none) continue;
      double sum = 0;
      for (std::size_t i = 0; i + 1 < borders.size(); ++i) sum += priced(borders[i], borders[i + 1]);
      CHECK(sum == Approx(exact));  // no piece is too short
      cut_count += borders.size() > 2;
      tight += borders.size() > 2 && min_rows > 1;
    }
  }
  CHECK(cut_count > 10);
  CHECK(tight > 3);
}

TEST_CASE("RowPartitions: cuts of tables with popular rows cost no less than the bound") {
  if (comm::Communicator(MPI_COMM_WORLD).size() > 1) return;
  int cut_count = 0;
  for (const std::uint64_t k : {20u, 46u}) {
    auto set = random_tables::random_set(k, {.popular = true});
    if (k == 46) set.topology.exchange = {2, 2.0};
    const Problem problem = make_problem(set.tables, set.planner().model(), 1);
    const Random random(k, Purpose::test);
    for (Index trial = 0; trial < 40; ++trial) {
      const FreeTable& table = *problem.free[trial % std::ssize(problem.free)];
      const FreeTable::Cut& cut = table.cuts()[trial % std::ssize(table.cuts())];
      const TableCosts& costs = table.costs(cut);
      if (costs.dim() % (4 * cut.columns) != 0) continue;
      const auto draw = [&](Index column) { return random.uniform53(trial, column); };
      const double capacity = cut.whole.owner.seconds * (0.1 + 0.8 * draw(4));
      const Price price{draw(5) / capacity, 4 * draw(6) * problem.ranks / capacity, 0, 0};
      const auto load = [&](Index begin, Index end) {
        return costs.shard({begin, end}, {0, costs.dim() / cut.columns}, cut.form);
      };
      std::vector<Index> borders;
      const double least = cut.partitions.least({capacity, 1e300}, price, 0, 1, borders);
      INFO("set " << k << ", trial " << trial);
      CHECK(least >= cut.partitions.relaxed({capacity, 1e300}, price) * (1 - 1e-9));
      if (least == RowPartitions::none) continue;
      double sum = 0;
      for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
        CHECK(load(borders[i], borders[i + 1]).owner.seconds <= capacity * (1 + 1e-4));
        sum += price.of(load(borders[i], borders[i + 1]));
      }
      CHECK(sum == Approx(least).epsilon(1e-4));
      // No cut at random borders into as many pieces costs less.
      for (Index k = 0; k < 50; ++k) {
        std::vector<Index> other = {0, embedding::block_count};
        for (std::size_t i = 2; i < borders.size(); ++i) other.push_back(Index(1024 * draw(10 + 50 * k + Index(i))));
        std::sort(other.begin(), other.end());
        double all = 0;
        for (std::size_t i = 0; i + 1 < other.size(); ++i) {
          const ShardLoad piece = load(other[i], other[i + 1]);
          all += piece.owner.seconds <= capacity ? price.of(piece) : RowPartitions::none;
        }
        CHECK(all >= least * (1 - 1e-4));
      }
      cut_count += borders.size() > 2;
    }
  }
  CHECK(cut_count > 10);
}
