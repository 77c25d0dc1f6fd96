// SPDX-License-Identifier: Apache-2.0
// Random planning problems: what is proven, and that plans obey memory.
#include <algorithm>
#include <chrono>
#include <iostream>

#include "catch.hpp"
#include "random_tables.hpp"

using namespace tesserec;

TEST_CASE("plans of random sets fit, and are proven to be near the best") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  if (comm.rank() != 0) return;
  std::vector<double> gaps;
  for (std::uint64_t k = 0; k < 200; k += 10) {
    const random_tables::Set set = random_tables::random_set(k);
    if (set.tables.size() > 8 || set.topology.ranks > 64) continue;  // the slow ones
    const auto planner = set.planner();
    const auto proven = planner.plan(set.tables);
    planning::check_plan(set.tables, proven.plan, set.topology.ranks);
    planner.model().require_fits(set.tables, proven.plan);
    INFO("set " << k);
    CHECK(proven.lower_bound <= proven.estimate.critical_path());
    gaps.push_back(proven.gap());
    // No plain plan goes below the bound.
    for (const auto type : {planning::ShardingType::table_wise, planning::ShardingType::row_wise}) {
      planning::ShardingPlan plain(set.tables.size());
      for (std::size_t t = 0; t < plain.size(); ++t) {
        std::vector<int> owners = {static_cast<int>(t) % set.topology.ranks};
        if (type == planning::ShardingType::row_wise) {
          owners.clear();
          for (int r = 0; r < set.topology.ranks; ++r) owners.push_back(r);
        }
        plain[t].type = type;
        plain[t].form = t % 2 == 0 ? planning::ExchangeForm::pooled : planning::ExchangeForm::rows;
        plain[t].shards = planning::cut(set.tables[t], static_cast<Index>(owners.size()), 1, owners);
      }
      const auto estimate = planner.model().evaluate(set.tables, plain);
      if (*std::max_element(estimate.bytes.begin(), estimate.bytes.end()) <=
          static_cast<double>(set.topology.usable_memory())) {
        CHECK(estimate.critical_path() >= proven.lower_bound);
        CHECK(estimate.critical_path() >= proven.estimate.critical_path());
      }
    }
  }
  std::sort(gaps.begin(), gaps.end());
  REQUIRE(gaps.size() > 3);
  CHECK(gaps[gaps.size() / 2] <= 0.05);
  CHECK(gaps.back() <= 0.10);
}

TEST_CASE("no plan of a few cuts goes below the bound") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  if (comm.rank() != 0) return;
  for (const std::uint64_t k : {6u, 40u, 49u, 175u}) {
    const random_tables::Set set = random_tables::random_set(k, k % 2 == 1);
    const auto planner = set.planner();
    const auto proven = planner.plan(set.tables);
    const Random random(k, Purpose::test);
    double best = 1e300;
    for (Index trial = 0; trial < 2000; ++trial) {
      Index draw = 0;
      const auto below = [&](Index n) {
        return static_cast<Index>(random.uniform53(trial, draw++) * static_cast<double>(n));
      };
      planning::ShardingPlan plan(set.tables.size());
      for (std::size_t t = 0; t < plan.size(); ++t) {
        const auto& table = set.tables[t];
        const Index most = std::max<Index>(1, table.embedding_dim / 32), columns = 1 + below(most);
        const Index unit = Index{1} << below(9);
        std::vector<Index> borders = {0, 1024};  // uneven, several pieces a rank
        for (Index i = below(2 * set.topology.ranks); i > 0; --i) borders.push_back(below(1024 / unit) * unit);
        std::sort(borders.begin(), borders.end());
        borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
        plan[t].type = planning::ShardingType::grid;
        plan[t].form = below(2) == 0 ? planning::ExchangeForm::pooled : planning::ExchangeForm::rows;
        Index owner = below(set.topology.ranks);
        const Index quads = (table.embedding_dim + 3) / 4;
        for (Index c = 0; c < columns; ++c)
          for (std::size_t i = 0; i + 1 < borders.size(); ++i)
            plan[t].shards.push_back(
                {static_cast<int>(owner++ % set.topology.ranks),
                 {borders[i], borders[i + 1]},
                 {c * quads / columns * 4, std::min(table.embedding_dim, (c + 1) * quads / columns * 4)}});
      }
      planning::check_plan(set.tables, plan, set.topology.ranks);
      best = std::min(best, planner.model().evaluate(set.tables, plan).critical_path());
    }
    INFO("set " << k);
    CHECK(best >= proven.lower_bound);
    CHECK(best >= 0.97 * proven.estimate.critical_path());
  }
}

// Not run by ctest: test_planning "[every]" prints the gap and time of all 200 sets.
TEST_CASE("all random sets", "[.][every]") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  if (comm.rank() != 0) return;
  std::vector<double> gaps;
  std::cout << "set,tables,ranks,memory,gap,exact,seconds\n";
  for (std::uint64_t k = 0; k < 200; ++k) {
    const random_tables::Set set = random_tables::random_set(k);
    const auto begin = std::chrono::steady_clock::now();
    const auto proven = set.planner().plan(set.tables);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    std::cout << k << ',' << set.tables.size() << ',' << set.topology.ranks << ',' << set.topology.memory << ','
              << proven.gap() << ',' << proven.exact << ',' << seconds.count() << std::endl;
    planning::check_plan(set.tables, proven.plan, set.topology.ranks);
    set.planner().model().require_fits(set.tables, proven.plan);
    gaps.push_back(proven.gap());
  }
  std::sort(gaps.begin(), gaps.end());
  std::cout << "median " << gaps[gaps.size() / 2] << ", worst " << gaps.back() << '\n';
  CHECK(gaps[gaps.size() / 2] <= 0.02);
  CHECK(gaps.back() <= 0.10);
}
