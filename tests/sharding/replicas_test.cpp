// SPDX-License-Identifier: Apache-2.0
// Replica groups: two levels inside a group, the bytes that stay there, errors that reach all groups, and plans that
// are refused. law_test, store_test and gather_test compare bits.
#include "batches.hpp"
#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/sharding/distributed_model_parallel.hpp>

using namespace tesserec;
using planning::ExchangeForm;
using planning::ShardingType;
using Collection = sharding::ShardedEmbeddingBagCollection;

namespace {

const embedding::EmbeddingBagConfig table = {"t", 40, 8, {"a"}, {}, false, {}};

/// Returns a plan whose groups have the whole table on their last ranks.
planning::ShardingPlan on_last_rank(int ranks, int groups) {
  const std::vector<int> owner{ranks / groups - 1};
  return {{ShardingType::table_wise, embedding::ComputeKernel::fused, ExchangeForm::pooled,
           planning::cut(table, 1, 1, owner), groups}};
}

}  // namespace

TEST_CASE("replica groups: an id out of range on a rank of any group throws on all ranks") {
  const Exec exec;
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Lanes lanes(8);
  const Index global = 16 * comm.size();
  const auto samples_of = [&](int rank) { return lanes.samples_of_rank(rank, comm.size(), global); };
  for (int groups = 1; groups <= comm.size(); ++groups) {
    if (comm.size() % groups != 0) continue;
    Collection tables(exec, comm, {table}, on_last_rank(comm.size(), groups), {"a"}, lanes, {{}, {}, Kernels::simd});
    tables.initialize(exec, 0);
    const auto refusal = [&](Index id, int wrong_rank, Index missing = 0) {
      return error_of([&] {
        std::vector<std::vector<Index>> ids(std::size_t(samples_of(comm.rank()).size()), {0});
        if (comm.rank() == wrong_rank) ids.resize(ids.size() - missing), ids[2] = {39, id};
        auto batch = tables.start(exec, batch_of({"a"}, {ids}), global);
        tables.forward(exec, batch);
      });
    };
    for (int rank = 0; rank < comm.size(); ++rank) {
      CHECK(refusal(40, rank) == concat("feature a, sample ", samples_of(rank).begin + 2,
                                        " of the batch: id 40 is outside table t of 40 rows"));
      CHECK(mentions(refusal(39, rank, 1), concat("rank ", rank, " has ")));
    }
    CHECK(refusal(39, 0) == "");  // the refused batches leave no state behind
  }
}

TEST_CASE("replica groups: ids and vectors stay in the group of their samples") {
  const Exec exec;
  const comm::Communicator comm(MPI_COMM_WORLD);
  if (comm.size() != 4) return;
  const Lanes lanes(8);
  struct Bytes {
    Index all, between_nodes;
  };
  const auto bytes = [&](int groups) {
    Collection tables(exec, comm, {table}, on_last_rank(4, groups), {"a"}, lanes, {{}, {}, Kernels::simd, {2, 2}});
    tables.initialize(exec, 0);
    auto batch = tables.start(exec, batch_of({"a"}, {std::vector<std::vector<Index>>(4, {0, 39})}), 16);
    tables.forward(exec, batch);
    Kokkos::deep_copy(tables.gradient(exec, batch).pooled, 0.0f);
    tables.backward(exec, std::move(batch), {}, 1);
    return Bytes{comm.sum(tables.bytes().all), comm.sum(tables.bytes().between_nodes)};
  };
  const Bytes one = bytes(1), two = bytes(2), four = bytes(4);
  CHECK(one.between_nodes > 0);
  CHECK(two.between_nodes == 0);  // a group is a node
  CHECK(two.all > 0);
  CHECK(two.all < one.all);
  CHECK(four.all == 0);
}

TEST_CASE("replica groups: plans that no job can have are refused") {
  const auto refusal = [](const planning::ShardingPlan& plan, int ranks, bool grows = false) {
    std::vector<embedding::EmbeddingBagConfig> tables(plan.size(), table);
    if (grows) tables.front().block_by = embedding::BlockBy::hash;
    return error_of([&] { planning::check_plan(tables, plan, ranks); });
  };
  planning::ShardingPlan plan = on_last_rank(4, 2);
  CHECK(refusal(plan, 4) == "");
  CHECK(refusal(plan, 4, true) ==
        "table t grows, so it cannot be in 2 replica groups: its copies would see other ids. Set plan.replicas = 1, or "
        "set table.t.growing = false");
  CHECK(mentions(refusal(plan, 3), "the plan has 2 replica groups, into which 3 ranks do not divide"));
  CHECK(mentions(refusal(plan, 2), "rank 1 does not exist; a replica group has ranks 0 to 0"));
  plan.push_back(on_last_rank(4, 4)[0]);
  CHECK(mentions(refusal(plan, 4), "it has 4 replica groups, but table t has 2; give all tables the same number"));
}
