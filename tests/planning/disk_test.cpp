// SPDX-License-Identifier: Apache-2.0
// Kernels disk and host_cached in the cost model and the planner.
#include <cmath>

#include "catch.hpp"
#include "errors.hpp"
#include "four_tables.hpp"
#include <tesserec/planning/cost_model.hpp>
#include <tesserec/planning/planner.hpp>

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

TEST_CASE(
    "TableCosts: distinct rows that the cache of kernel host_cached lacks travel as bytes, wherever they are used") {
  planning::Topology slow, fast;
  slow.costs.host_bytes = 10;
  fast.costs.host_bytes = 1e300;
  optim::Settings optimizer;
  optimizer.type = optim::Type::rowwise_adagrad;
  const double touched = -double(rows) * std::expm1(batch * std::log1p(-1.0 / rows)), row_bytes = dim * 4 + 4;
  planning::ParameterConstraints demand;
  demand.kernel = ComputeKernel::host_cached;
  demand.cache = 0.25;
  demand.pooling_factor = 1;
  const auto costs = [&](const planning::Topology& topology) {
    return planning::TableCosts(table("t"), demand, optimizer, topology, batch);
  };
  const auto seconds = [&](const planning::Topology& topology, Range columns) {
    return costs(topology).shard({0, embedding::block_count}, columns, planning::ExchangeForm::pooled).owner.seconds;
  };
  CHECK(10 * (seconds(slow, {0, dim}) - seconds(fast, {0, dim})) == Approx(0.75 * touched * row_bytes));
  CHECK(10 * (seconds(slow, {0, 16}) - seconds(fast, {0, 16})) == Approx(0.75 * touched * (16 * 4 + 4)));
  CHECK(10 * (costs(slow).data_parallel().seconds - costs(fast).data_parallel().seconds) ==
        Approx(0.75 * touched * row_bytes));
  CHECK(costs(fast).whole_bytes() == Approx(0.25 * rows * (row_bytes + 8)));  // on the device
}

TEST_CASE("EmbeddingShardingPlanner: rows that are too long for kernel disk are refused unless they are cut") {
  planned::Given given;
  given.ranks = 2;
  given.settings.kernel = ComputeKernel::disk;
  std::vector<embedding::EmbeddingBagConfig> tables = {table("long")};
  tables[0].num_embeddings = 1000;
  const auto refused = [&](Index columns, planning::ShardingType type) {
    tables[0].embedding_dim = columns;
    given.settings.default_type = type;
    return error_of([&] { given.planner().plan(tables); });
  };
  CHECK(refused(16384, planning::ShardingType::table_wise) == "");
  CHECK(refused(16388, planning::ShardingType::column_wise) == "");
  CHECK(mentions(
      refused(16388, planning::ShardingType::table_wise),
      "table long: a row with its optimizer state has 64.02 KiB, but kernel \"disk\" has rows of at most 64.00 "
      "KiB. Set plan.tables.long.kernel"));
}

TEST_CASE("EmbeddingShardingPlanner: host_cached is for GPUs, disk for CPUs, and a list holds for both") {
  planned::Given given;
  given.ranks = 1;
  given.settings.reserve = 0;
  given.settings.memory = 3 * rows * dim * sizeof(float) + planning::gpu_taken(1).total();
  const std::vector<embedding::EmbeddingBagConfig> tables = {table("a"), table("b"), table("c"), table("d")};
  const auto planned = [&](const char* device) {
    given.settings.device = device;
    return given.planner().plan(tables);
  };
  const auto count = [&](const char* device, ComputeKernel kernel) {
    return std::ranges::count(planned(device).plan, kernel, &planning::ParameterSharding::kernel);
  };
  const auto refused = [&](const char* device) { return error_of([&] { planned(device); }); };
  CHECK(mentions(refused("cuda"), "; rows may lie in host memory (plan.kernel = \"host_cached\")"));
  given.settings.kernel.list = {ComputeKernel::fused, ComputeKernel::host_cached};
  CHECK(count("cuda", ComputeKernel::host_cached) == 2);
  const planning::RankBytes holds = planned("cuda").estimate.holds[0];
  CHECK(holds.host == Approx(2.0 * rows * (dim * 4 + 8)).epsilon(0.02));
  CHECK(holds.disk == 0);
  given.settings.memory = 5 * rows * dim * sizeof(float) + planning::gpu_taken(1).total();
  CHECK(count("cpu", ComputeKernel::fused) == 4);
  given.settings.kernel = ComputeKernel::host_cached;
  CHECK(refused("cpu") ==
        "table a has kernel \"host_cached\", whose cache is in a GPU's memory, but the plan is for CPUs. Set "
        "plan.tables.a.kernel (or plan.kernel, or \"kernel\" in the plan file) to \"fused\", which has all rows in "
        "host memory, to \"disk\", or to "
        "[\"fused\", \"host_cached\"] for plans of either device");
  given.settings.kernel = ComputeKernel::disk;
  CHECK(
      mentions(refused("cuda"), "table a has kernel \"disk\", whose cache is in host memory, where GPUs cannot read"));
  given.settings.kernel.list = {ComputeKernel::disk, ComputeKernel::host_cached};
  CHECK(count("cuda", ComputeKernel::host_cached) == 4);
  CHECK(count("cpu", ComputeKernel::disk) == 4);
}

TEST_CASE("CostModel: rows of kernel host_cached that do not fit into the host's memory are refused") {
  planning::Topology topology;
  topology.device = "cuda";
  topology.reserve = 0;
  topology.host_memory = rows * dim * sizeof(float);
  planning::Settings settings;
  settings.kernel = ComputeKernel::host_cached;
  const std::vector<embedding::EmbeddingBagConfig> tables = {table("a"), table("b")};
  const auto refused = [&] {
    return error_of([&] {
      planning::EmbeddingShardingPlanner(topology, settings, optim::Settings(), optim::Settings(), batch).plan(tables);
    });
  };
  CHECK(mentions(refused(), "rank 0 needs "));
  CHECK(mentions(refused(), "of host memory for rows of kernel \"host_cached\", but has 102400000 bytes"));
  topology.host_memory *= 3;
  CHECK(refused().empty());
}
