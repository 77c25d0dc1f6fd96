// SPDX-License-Identifier: Apache-2.0
// Terms of the cost model computed by hand: one rate takes time, all others take none.
#include <cmath>

#include "catch.hpp"
#include "errors.hpp"
#include "four_tables.hpp"
#include <tesserec/planning/cost_model.hpp>

using namespace tesserec;
using planning::MachineCosts;

namespace {

constexpr Index ranks = 4, batch = 1000, rows = 1 << 20, dim = 16;
constexpr double vector = 4 * dim;

/// Returns a machine of one node on which only `rate` takes time; null: only messages do, one second a byte.
planning::Topology machine(double MachineCosts::*rate = nullptr) {
  planning::Topology topology;
  topology.ranks = topology.ranks_per_node = ranks;
  for (const auto speed :
       {&MachineCosts::cached_row_reads, &MachineCosts::row_reads, &MachineCosts::read_bytes,
        &MachineCosts::vector_bytes, &MachineCosts::update_bytes, &MachineCosts::ids, &MachineCosts::fetched_ids,
        &MachineCosts::fetched_bytes, &MachineCosts::bags, &MachineCosts::add_bytes, &MachineCosts::row_updates,
        &MachineCosts::cached_row_updates, &MachineCosts::inside_bytes})
    topology.costs.*speed = 1e300;
  if (rate != nullptr)
    topology.costs.*rate = 1;
  else
    topology.costs.inside_bytes = 1 - 1.0 / ranks;  // a rank keeps its own share
  return topology;
}

embedding::EmbeddingBagConfig table() {
  embedding::EmbeddingBagConfig config;
  config.name = "t", config.feature_names = {"t"}, config.num_embeddings = rows, config.embedding_dim = dim;
  return config;
}

planning::TableCosts costs(optim::Type type, const planning::Topology& topology,
                           planning::ComputeKernel kernel = planning::ComputeKernel::fused) {
  planning::ParameterConstraints demand;
  demand.kernel = kernel;
  demand.pooling_factor = 1;
  optim::Settings optimizer;
  optimizer.type = type;
  return {table(), demand, optimizer, topology, batch};
}

/// Returns the expected number of distinct rows among so many uniform ids.
double distinct(double ids) { return -double(rows) * std::expm1(ids * std::log1p(-1.0 / rows)); }

const Range all_blocks{0, embedding::block_count};

}  // namespace

TEST_CASE("TableCosts: weights of 16 bits take two bytes in memory and when rows are read, and states four") {
  embedding::EmbeddingBagConfig narrow = table();
  narrow.format = NumberType::bf16;
  planning::ParameterConstraints demand;
  demand.kernel = planning::ComputeKernel::fused;
  demand.pooling_factor = 1;
  optim::Settings adam, adagrad;
  adam.type = optim::Type::adam;
  adagrad.type = optim::Type::rowwise_adagrad;
  CHECK(planning::table_bytes(table(), adam) == rows * dim * 12);
  CHECK(planning::table_bytes(narrow, adam) == rows * dim * 10);
  CHECK(planning::table_bytes(narrow, adagrad) == rows * (dim * 2 + 4));
  const planning::TableCosts reads(narrow, demand, adagrad, machine(&MachineCosts::read_bytes), batch);
  CHECK(reads.whole_bytes() == double(rows) * (dim * 2 + 4));
  // Rows are read in 16 bits, and gradients in 32.
  const planning::ShardLoad load = reads.shard(all_blocks, {0, dim}, planning::ExchangeForm::pooled);
  CHECK(load.owner.seconds == Approx(double(batch) * (2 * dim + vector)));
  CHECK(error_of([&] { planning::check_kernel(narrow, planning::ComputeKernel::dense, {}); }) ==
        "table t: kernel \"dense\" updates all rows, which format \"bf16\" (table.t.format or model.table_format) "
        "would round in every step. Set plan.tables.t.kernel (or \"kernel\" in the plan file) to \"fused\", or the "
        "format to \"fp32\"");
  CHECK(error_of([&] { planning::check_kernel(narrow, planning::ComputeKernel::disk, adam); }).empty());
}

TEST_CASE("TableCosts: owners of cut columns exchange four bytes a touched row and sum") {
  const auto seconds = [](optim::Type type, Range columns) {
    return costs(type, machine()).shard(all_blocks, columns, planning::ExchangeForm::pooled).owner.seconds;
  };
  const double moved = distinct(batch), half = seconds(optim::Type::sgd, {0, 8}),
               whole = seconds(optim::Type::sgd, {0, dim});
  CHECK(half == Approx(batch * (8 + 4 + 2 * vector / 2)));
  for (const auto& [type, sums] : {std::pair{optim::Type::adam, 0},
                                   {optim::Type::rowwise_adagrad, 1},
                                   {optim::Type::lamb, 2},
                                   {optim::Type::partial_rowwise_lamb, 3}}) {
    INFO(optim::info(type).name);
    CHECK(seconds(type, {0, 8}) - half == Approx(2 * 4 * sums * moved).margin(1e-6));
    CHECK(seconds(type, {0, dim}) == Approx(whole));
  }
}

TEST_CASE("TableCosts: the dense kernel stores a gradient of the whole table and moves all of its rows") {
  using planning::ComputeKernel;
  const auto bytes = [](optim::Type type, ComputeKernel kernel) {
    return costs(type, machine(), kernel).whole_bytes();
  };
  CHECK(bytes(optim::Type::adam, ComputeKernel::fused) == 4.0 * rows * dim * 3);
  CHECK(bytes(optim::Type::adam, ComputeKernel::dense) == 4.0 * rows * dim * 4);
  CHECK(bytes(optim::Type::rowwise_adagrad, ComputeKernel::fused) == 4.0 * rows * (dim + 1));
  const auto seconds = [](optim::Type type, ComputeKernel kernel) {
    return costs(type, machine(&MachineCosts::update_bytes), kernel)
        .shard(all_blocks, {0, dim}, planning::ExchangeForm::pooled)
        .owner.seconds;
  };
  CHECK(seconds(optim::Type::adam, ComputeKernel::fused) == Approx(distinct(batch) * vector * 3));
  CHECK(seconds(optim::Type::adam, ComputeKernel::dense) == Approx(rows * vector * 4));
  CHECK(seconds(optim::Type::rowwise_adagrad, ComputeKernel::fused) == Approx(distinct(batch) * (vector + 4)));
}

TEST_CASE("TableCosts: data_parallel sends gradients of touched rows to every rank and sums back") {
  const double own = distinct(double(batch) / ranks), sums = own * (vector + 16);
  CHECK(costs(optim::Type::sgd, machine()).data_parallel().seconds == Approx(2 * sums * ranks));
  CHECK(costs(optim::Type::sgd, machine()).data_parallel().bytes ==
        Approx(4.0 * rows * dim + 1.125 * (64.0 * batch / ranks + (ranks + 1) * sums)));
}

TEST_CASE("TableCosts: ids of un-pooled features are sent as vectors of their own") {
  embedding::EmbeddingBagConfig mixed = table();
  mixed.feature_names = {"bag", "sequence"};
  mixed.ids_per_bag = {10, 30};
  mixed.unpooled = {"sequence"};
  planning::ParameterConstraints demand;
  demand.kernel = planning::ComputeKernel::fused;
  demand.pooling_factor = 20;
  const planning::TableCosts costs(mixed, demand, {}, machine(), batch);
  CHECK(costs.shard(all_blocks, {0, dim}, planning::ExchangeForm::pooled).owner.seconds ==
        Approx(8.0 * 40 * batch + 4.0 * 2 * batch + 2 * vector * (batch + 30.0 * batch)));
}

TEST_CASE("CostModel: a step has four latencies for each other rank") {
  planning::Topology topology = machine();
  topology.ranks = 12;
  topology.costs.inside_latency = 1, topology.costs.between_latency = 100;
  const planning::CostModel model(topology, {}, {}, {}, batch);
  const planning::PlanEstimate estimate = model.evaluate({}, {});
  REQUIRE(estimate.seconds.size() == 12);
  for (const double seconds : estimate.seconds) CHECK(seconds == Approx(4 * (3 + 800)));
  planning::PlanEstimate uneven;
  uneven.seconds = {1, 2, 6};
  CHECK(uneven.critical_path() == 6);
  CHECK(uneven.imbalance() == Approx(2));
}

TEST_CASE("PlanEstimate: splits the seconds of a rank by the work that takes them") {
  using Split = planning::StepSeconds;
  const auto split = [](double MachineCosts::*rate, planning::ExchangeForm form) {
    planning::Topology topology = machine(rate);
    topology.costs.inside_latency = 0;
    const planning::CostModel model(topology, {}, {}, {}, batch);
    planning::ParameterSharding sharding{planning::ShardingType::row_wise, planning::ComputeKernel::fused, form, {}};
    sharding.shards = planning::cut(table(), 2, 1, std::vector{0, 1});
    const std::vector<embedding::EmbeddingBagConfig> tables = {table()};
    const planning::PlanEstimate estimate = model.evaluate(tables, {sharding});
    CHECK(estimate.split[0].sum() == Approx(estimate.seconds[0]));
    return estimate.split[0];
  };
  for (const auto form : {planning::ExchangeForm::pooled, planning::ExchangeForm::rows}) {
    const auto alone = [&](double MachineCosts::*rate, double Split::*work) {
      const Split seconds = split(rate, form);
      CHECK(seconds.*work > 0);
      CHECK(seconds.*work == Approx(seconds.sum()));
    };
    alone(nullptr, &Split::exchange);
    for (const auto rate :
         {&MachineCosts::row_reads, &MachineCosts::ids, &MachineCosts::bags, &MachineCosts::add_bytes})
      alone(rate, &Split::lookup);
    for (const auto rate : {&MachineCosts::row_updates, &MachineCosts::update_bytes}) alone(rate, &Split::update);
    const Split bytes = split(&MachineCosts::read_bytes, form);  // reads rows and sums their gradients
    CHECK(bytes.lookup == Approx(bytes.update));
    const Split vectors = split(&MachineCosts::vector_bytes, form);  // a vector a bag and its gradient
    CHECK(vectors.lookup == Approx(vectors.update));
  }
}

TEST_CASE("TableCosts: fetched rows are pooled and summed at the samples and one rank adds no vectors") {
  const auto common = [](const planning::Topology& topology) {
    return costs(optim::Type::sgd, topology)
        .cost({0, all_blocks, {0, dim}}, {.form = planning::ExchangeForm::rows})
        .common;
  };
  const planning::StepSeconds fetched = common(machine(&MachineCosts::fetched_bytes)).seconds;
  CHECK(fetched.lookup == Approx(double(batch) / ranks * vector));
  CHECK(fetched.update == Approx(double(batch) / ranks * vector));
  planning::Topology adding = machine(&MachineCosts::add_bytes);
  CHECK(common(adding).seconds.lookup == Approx(double(batch) / ranks * vector));
  adding.ranks = adding.ranks_per_node = 1;
  CHECK(common(adding).seconds.lookup < 1);
}

TEST_CASE("EmbeddingShardingPlanner: throws with the missing bytes and a remedy if tables do not fit") {
  planned::Given given;
  given.settings.reserve = 0;
  given.settings.memory = 900000;
  // 2 * (4096 + 1024) rows of 64 floats are 2621440 bytes.
  const std::string refused = error_of([&] { given.plan(); });
  INFO(refused);
  CHECK(mentions(refused, "need 2621440 bytes ("));
  CHECK(mentions(refused, "2 ranks have 1800000 bytes ("));
  CHECK(mentions(refused, "; 821440 bytes ("));
  CHECK(
      mentions(refused, "plan.memory = 1376256 or more, or use about 4 ranks; on hosts"));  // 5 % more than the tables
}
