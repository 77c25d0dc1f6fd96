// SPDX-License-Identifier: Apache-2.0
// Lists of sharding types and of kernels in the deck, and the choice of the planner among them.
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "catch.hpp"
#include "errors.hpp"
#include "four_tables.hpp"
#include "src/planning/problem.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/planning/plan_file.hpp>

using namespace tesserec;
using planned::four_tables, planned::Given;
using planning::ShardingType;

TEST_CASE("plan.sharding: a small table is whole with row_wise or column_wise and its plan may be read") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  if (comm.rank() > 0) return;
  Given given;
  planning::ShardingTypes types;
  types.list = {ShardingType::row_wise, ShardingType::column_wise};
  std::vector<embedding::EmbeddingBagConfig> tables(12, four_tables()[2]);
  for (std::size_t t = 0; t < tables.size(); ++t) tables[t].name = "t" + std::to_string(t);
  for (const auto& table : tables) given.settings.tables[table.name].sharding = types;
  const auto proven = given.planner().plan(tables);
  std::size_t whole = 0;
  for (const auto& table : proven.plan) {
    if (table.type == ShardingType::row_wise && table.shards.size() == 1) ++whole;
    CHECK(types.has(table.type));
  }
  CHECK(whole > 0);
  given.settings.file =
      (std::filesystem::temp_directory_path() / ("tesserec_whole_" + std::to_string(getpid()) + ".json")).string();
  std::ofstream(given.settings.file) << planning::plan_json(tables, proven, given.planner().model().topology(), 512);
  const auto again = given.planner().given_plan(tables);
  for (std::size_t t = 0; t < again.plan.size(); ++t) {
    CHECK(again.plan[t].type == proven.plan[t].type);
    CHECK(again.plan[t].shards == proven.plan[t].shards);
  }
  std::filesystem::remove(given.settings.file);
}

TEST_CASE("plan.kernel: the planner takes the cheaper of two kernels if both give the same bits") {
  if (comm::Communicator(MPI_COMM_WORLD).size() > 1) return;
  Given given;
  given.ranks = 1;
  given.optimizer.type = optim::Type::adagrad;
  for (const auto& table : four_tables())
    given.settings.tables[table.name].kernel = {planning::ComputeKernel::fused, planning::ComputeKernel::dense};
  given.settings.costs.update_bytes = 1e12;  // 512 random rows take longer than all rows in order
  for (const auto& table : given.plan()) CHECK(table.kernel == planning::ComputeKernel::dense);
  given.ranks = 8;
  Index shards = 0;
  for (const auto& table : given.plan()) {  // cut into the pieces that fit
    CHECK(table.kernel == planning::ComputeKernel::dense);
    shards = std::max(shards, std::ssize(table.shards));
  }
  CHECK(shards > 1);
  given.ranks = 1;
  given.settings.costs.update_bytes = 1e7;
  for (const auto& table : given.plan()) CHECK(table.kernel == planning::ComputeKernel::fused);
  // A cut has the kernel that its cost was computed for.
  given.ranks = 8;
  const auto problem = planning::make_problem(four_tables(), given.planner().model(), 1);
  std::size_t dense = 0;
  for (const auto& table : problem.free)
    for (const auto& cut : table->cuts()) {
      const auto option = table->option(cut, {0, 512, embedding::block_count}, given.ranks);
      CHECK(option.kernel == table->kernel(cut));
      dense += option.kernel == planning::ComputeKernel::dense;
    }
  CHECK(dense > 0);
  // Each table has the kernel of its own cuts, and the plan is never more expensive than with one kernel for all.
  given.ranks = 8;
  given.settings.costs.update_bytes = 2e10;
  const auto mixed = given.planner().plan(four_tables());
  CHECK(mixed.estimate.critical_path() >= mixed.lower_bound);
  for (const auto kernel : {planning::ComputeKernel::fused, planning::ComputeKernel::dense}) {
    Given single = given;
    for (auto& [name, demand] : single.settings.tables) demand.kernel = kernel;
    const auto proven = single.planner().plan(four_tables());
    CHECK(mixed.estimate.critical_path() <= proven.estimate.critical_path() * 1.02);
    CHECK(mixed.lower_bound <= proven.estimate.critical_path());
  }
  const auto refused = [&](auto change) {
    Given bad = given;
    change(bad.optimizer);
    return error_of([&] { bad.plan(); }).find("plan.tables.large_0.kernel has several kernels") == 0;
  };
  CHECK(refused([](optim::Settings& o) { o.type = optim::Type::adam; }));
  CHECK(refused([](optim::Settings& o) { o.weight_decay = 0.1; }));
  CHECK(refused([](optim::Settings& o) { o.eps = 0; }));
  CHECK_FALSE(refused([](optim::Settings& o) { o.type = optim::Type::sgd; }));
}
