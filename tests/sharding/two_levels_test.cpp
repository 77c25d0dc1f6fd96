// SPDX-License-Identifier: Apache-2.0
// ExchangeForm::two_levels on 2 nodes of 2 ranks: the tables that use it, the bytes that it saves between nodes,
// errors and batches in flight.
#include "batches.hpp"
#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/sharding/distributed_model_parallel.hpp>

using namespace tesserec;
using planning::ExchangeForm;
using planning::ShardingType;
using Collection = sharding::ShardedEmbeddingBagCollection;

namespace {

constexpr Index dim = 16;
const embedding::EmbeddingBagConfig table = {"t", 2048, dim, {"a"}, {}, false, {}};

planning::ShardingPlan plan_of(ShardingType type, Index row_cuts, Index column_cuts, const std::vector<int>& owners) {
  return {{type, embedding::ComputeKernel::fused, ExchangeForm::two_levels,
           planning::cut(table, row_cuts, column_cuts, owners)}};
}

const planning::ShardingPlan by_rows = plan_of(ShardingType::table_row_wise, 2, 1, {0, 1}),
                             by_columns = plan_of(ShardingType::table_column_wise, 1, 2, {1, 0}),
                             grid = plan_of(ShardingType::grid, 2, 2, {0, 1, 2, 3}),
                             in_turn = plan_of(ShardingType::grid, 2, 4, {0, 1, 2, 3, 0, 1, 2, 3});

}  // namespace

TEST_CASE("by_two_levels: true if the exchange form and the owners and the nodes allow it") {
  const auto two = [](planning::ShardingPlan plan, int ranks, int inside) {
    return planning::by_two_levels(plan[0], ranks, inside);
  };
  for (const planning::ShardingPlan& plan : {by_rows, by_columns, grid}) {
    CHECK(two(plan, 4, 2));
    CHECK_FALSE(two(plan, 4, 4));
    CHECK_FALSE(two(plan, 4, 1));
    for (const ExchangeForm form : {ExchangeForm::pooled, ExchangeForm::rows}) {
      planning::ShardingPlan other = plan;
      other[0].form = form;
      CHECK_FALSE(two(other, 4, 2));
    }
  }
  CHECK(mentions(error_of([] {
                   planning::check_plan({&table, 1}, plan_of(ShardingType::row_wise, 2, 1, {0, 1}), 4);
                 }),
                 "exchange \"two_levels\" needs type table_row_wise, table_column_wise or grid"));
  CHECK_FALSE(two(plan_of(ShardingType::table_row_wise, 2, 1, {1, 2}), 4, 2));  // rows on two nodes
  CHECK_FALSE(two(plan_of(ShardingType::grid, 2, 2, {0, 1, 1, 2}), 4, 2));      // rows of one slice on two nodes
  CHECK_FALSE(two(plan_of(ShardingType::table_column_wise, 1, 1, {0}), 4, 2));  // a single shard
  CHECK_FALSE(two(plan_of(ShardingType::grid, 1, 2, {0, 2}), 4, 2));            // one shard on each node
  CHECK(two(plan_of(ShardingType::grid, 2, 3, {1, 0, 3, 3, 0, 1}), 4, 2));
}

TEST_CASE("two_levels: sends ids and lengths once a bag and one vector each way between nodes") {
  const Exec exec;
  const comm::Communicator comm(MPI_COMM_WORLD);
  if (comm.size() != 4) return;
  const Lanes lanes(8);
  constexpr Index samples = 32, ids = 3, flags = 4 * 2 * 4, vector = 4 * dim;  // bytes; "no error" to two ranks each
  const std::vector<std::vector<Index>> bags(samples / 4, {0, 2000, 5});       // rows of both owners
  struct Case {
    const planning::ShardingPlan& plan;
    Index one_level, two_levels;  // bytes of a bag whose owner is on another node
    Index bags;
    Index one_level_requests, two_level_requests;  // shards on other nodes that ranks request; each has its counts
  };
  for (const auto& [plan, one_level, two_levels, crossing, one_level_requests, two_level_requests] :
       {Case{by_rows, 2 * 4 + ids * 8 + 4 * vector, 4 + ids * 8 + 2 * vector, samples / 2, 4, 2},
        Case{by_columns, 2 * (4 + ids * 8) + 2 * vector, 4 + ids * 8 + 2 * vector, samples / 2, 4, 2},
        Case{grid, 2 * 4 + ids * 8 + 4 * vector / 2, 4 + ids * 8 + 2 * vector / 2, samples, 8, 4},
        Case{in_turn, 2 * (2 * 4 + ids * 8) + 4 * vector / 2, 4 + ids * 8 + 2 * vector / 2, samples, 16, 4}})
    for (const int levels : {1, 2}) {
      Collection tables(exec, comm, {table}, plan, {"a"}, lanes, {{}, {}, Kernels::simd, {2, levels}});
      tables.initialize(exec, 0);
      auto batch = tables.start(exec, batch_of({"a"}, {bags}), samples);
      tables.forward(exec, batch);
      Kokkos::deep_copy(tables.gradient(exec, batch).pooled, 0.0f);
      tables.backward(exec, std::move(batch), {}, 1);
      CHECK(comm.sum(tables.bytes().between_nodes) ==
            flags + crossing * (levels == 1 ? one_level : two_levels) +
                2 * 4 * (levels == 1 ? one_level_requests : two_level_requests));
      CHECK(comm.sum(tables.bytes().all) > comm.sum(tables.bytes().between_nodes));
    }
}

TEST_CASE("plan.ranks_per_node and plan.exchange_levels: decide the bytes between nodes") {
  const Exec exec;
  const comm::Communicator comm(MPI_COMM_WORLD);
  if (comm.size() != 4) return;
  const embedding::EmbeddingBagCollection module({table});
  Index between[3] = {};  // [levels]; 0: all ranks on one node
  for (const int levels : {0, 1, 2}) {
    sharding::ParallelOptions options;
    options.plan = by_rows;
    options.planner.ranks_per_node = levels == 0 ? 4 : 2;
    options.planner.exchange_levels = std::max(1, levels);
    sharding::DistributedModelParallel model(exec, module, comm, options);
    const Range own_samples = model.samples(32);
    model.forward(exec, batch_of({"a"}, {std::vector<std::vector<Index>>(own_samples.size(), {0, 2000})}));
    model.backward(exec, make_matrix<float>(exec, "tesserec::test::gradient", own_samples.size(), dim));
    between[levels] = comm.sum(model.tables().bytes().between_nodes);
  }
  CHECK(between[0] == 0);
  CHECK(0 < between[2]);
  CHECK(between[2] < between[1]);
}

TEST_CASE("two_levels: throws on every rank if an id is out of range") {
  const Exec exec;
  const comm::Communicator comm(MPI_COMM_WORLD);
  if (comm.size() != 4) return;
  const Lanes lanes(8);
  constexpr Index samples = 16;
  for (const planning::ShardingPlan& plan : {by_rows, by_columns, grid}) {
    Collection tables(exec, comm, {table}, plan, {"a"}, lanes, {{}, {}, Kernels::simd, {2, 2}});
    tables.initialize(exec, 0);
    const auto refusal = [&](Index id, int wrong_rank) {
      std::vector<std::vector<Index>> bags(samples / 4, {0});
      if (comm.rank() == wrong_rank) bags[2] = {39, id};
      return error_of([&] {
        auto ids = tables.start(exec, batch_of({"a"}, {bags}), samples);
        tables.forward(exec, ids);
      });
    };
    for (int rank = 0; rank < comm.size(); ++rank) {
      CHECK(refusal(2048, rank) == "feature a, sample " + std::to_string(4 * rank + 2) +
                                       " of the batch: id 2048 is outside table t of 2048 rows");
      CHECK(refusal(2047, rank) == "");
    }
  }
}

TEST_CASE("two_levels: batches in flight are independent") {
  const Exec exec;
  const comm::Communicator comm(MPI_COMM_WORLD);
  if (comm.size() != 4) return;
  const Lanes lanes(8);
  constexpr Index samples = 16;
  for (const planning::ShardingPlan& plan : {by_rows, by_columns, grid}) {
    Collection tables(exec, comm, {table}, plan, {"a"}, lanes, {{}, {}, Kernels::simd, {2, 2}});
    tables.initialize(exec, 0);
    const auto start = [&](Index id) {
      return tables.start(
          exec, batch_of({"a"}, {std::vector<std::vector<Index>>(samples / 4, {id + comm.rank(), 2000})}), samples);
    };
    const auto pooled = [&](sharding::InFlight& batch) {
      const auto sums = tables.forward(exec, batch).pooled;
      return std::vector<float>(sums.data(), sums.data() + sums.size());
    };
    std::vector<std::vector<float>> expected;
    for (const Index id : {0, 10, 20, 30}) {
      auto batch = start(id);
      expected.push_back(pooled(batch));
    }
    REQUIRE(expected[0] != expected[1]);
    auto a = start(0), b = start(10), c = start(20);
    tables.progress(exec, b);
    tables.progress(exec, c);
    tables.progress(exec, c);
    a.finish();
    auto d = start(30);
    CHECK(pooled(b) == expected[1]);
    CHECK(pooled(d) == expected[3]);
    CHECK(pooled(c) == expected[2]);
  }
}
