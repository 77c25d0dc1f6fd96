// SPDX-License-Identifier: Apache-2.0
// Kernel disk in the cost model and the planner.
#include <cmath>

#include "catch.hpp"
#include "errors.hpp"
#include "four_tables.hpp"
#include <tesserec/planning/cost_model.hpp>

using namespace tesserec;
using planning::ComputeKernel;

namespace {

constexpr Index rows = 400000, dim = 64, batch = 4096;

embedding::EmbeddingBagConfig table(const std::string& name) {
  embedding::EmbeddingBagConfig config;
  config.name = name;
  config.feature_names = {name};
  config.num_embeddings = rows;
  config.embedding_dim = dim;
  return config;
}

}  // namespace

TEST_CASE("TableCosts: distinct rows that the cache of kernel disk lacks are read from the file") {
  planning::Topology slow, fast;
  slow.costs.disk_rows = 10;
  fast.costs.disk_rows = 1e300;
  const double touched = -double(rows) * std::expm1(batch * std::log1p(-1.0 / rows));
  const auto cost = [&](const planning::Topology& topology, ComputeKernel kernel, double cache) {
    planning::ParameterConstraints demand;
    demand.kernel = kernel;
    demand.cache = cache;
    demand.pooling_factor = 1;
    const planning::TableCosts costs(table("t"), demand, optim::Settings(), topology, batch);
    return costs.shard({0, embedding::block_count}, {0, dim}, planning::ExchangeForm::pooled).owner;
  };
  const auto reads = [&](ComputeKernel kernel, double cache) {
    return 10 * (cost(slow, kernel, cache).seconds - cost(fast, kernel, cache).seconds);
  };
  CHECK(reads(ComputeKernel::fused, 0.25) == Approx(0).margin(1e-6));
  CHECK(reads(ComputeKernel::disk, 0.25) == Approx(0.75 * touched));
  CHECK(reads(ComputeKernel::disk, 0.25 * rows * dim * sizeof(float)) == Approx(0.75 * touched));  // the same in bytes
  CHECK(reads(ComputeKernel::disk, 0.0) == Approx((1 - 1024.0 / rows) * touched));  // a cache has 1024 rows
  const double all = rows * dim * sizeof(float);
  const double saved = cost(fast, ComputeKernel::fused, 0.25).bytes - cost(fast, ComputeKernel::disk, 0.25).bytes;
  CHECK(saved > 0.6 * all);
  CHECK(saved < 0.75 * all);
}

TEST_CASE("EmbeddingShardingPlanner: puts on a disk only tables that do not fit, and none that must be in memory") {
  planned::Given given;
  given.ranks = 1;
  given.settings.reserve = 0;
  given.settings.memory = 3 * rows * dim * sizeof(float);
  const std::vector<embedding::EmbeddingBagConfig> tables = {table("a"), table("b"), table("c"), table("d")};
  const auto on_disk = [&] {
    const planning::ShardingPlan plan = given.planner().plan(tables).plan;
    return std::ranges::count(plan, ComputeKernel::disk, &planning::ParameterSharding::kernel);
  };
  CHECK(mentions(error_of(on_disk), "on hosts rows may lie on a disk (plan.kernel = \"disk\")"));
  given.settings.kernel.list = {ComputeKernel::fused, ComputeKernel::disk};
  CHECK(on_disk() == 2);  // one table on the disk leaves too little space for its cache
  given.settings.kernel = ComputeKernel::disk;
  CHECK(on_disk() == 4);
  given.settings.tables["b"].kernel = ComputeKernel::fused;
  CHECK(on_disk() == 3);
  given.settings.memory = rows * dim;
  const std::string refused = error_of(on_disk);
  CHECK(mentions(refused, "do not fit"));
}
