// SPDX-License-Identifier: Apache-2.0
// Growing tables have one digest while rows leave them: with each rule of eviction, by each optimizer and plan, on any
// ranks, with and without look-ahead and micro-batches. ctest runs some of the cases, test_train "[every]" all.
#include <optional>

#include "catch.hpp"
#include "small_job.hpp"
#include <tesserec/core/device.hpp>

using namespace tesserec;
using embedding::Eviction;
using planning::ShardingType;

namespace {

/// Returns a job of two growing tables, the first with `growth`. One has two features.
train::Job job_of(const embedding::GrowthRules& growth, optim::Type type, int accumulate) {
  train::Job job = small_job("");
  job.run.kernels = Kernels::simd;
  job.data.synthetic.rows = {9000, 20'000, 4000};
  job.data.synthetic.samples = 3000;
  job.data.synthetic.evaluate_samples = 64;
  job.data.synthetic.hashed = true;
  job.data.synthetic.zipf = 0.8;
  job.data.synthetic.ids_per_bag = 3;
  job.data.synthetic.variable_bags = true;
  job.model.embedding_dim = job.model.bottom.back() = 8;
  job.train.accumulate = accumulate;
  job.train.batch_size /= accumulate;
  job.optimizer.sparse.type = type;
  job.checkpoint.keep = 0;
  job.tables.resize(2);
  job.tables[0].name = "a";
  job.tables[0].feature_names = {"C1"};
  job.tables[0].growth = growth;
  job.tables[0].num_embeddings = 2048;
  job.tables[1].name = "b";
  job.tables[1].feature_names = {"C2", "C3"};
  job.tables[1].growth = {.admit_after = 2, .eviction = Eviction::lfu, .unknown = embedding::UnknownRow::start};
  job.tables[1].num_embeddings = 1500;
  job.tables[1].pooling = embedding::PoolingType::mean;
  for (embedding::EmbeddingBagConfig& table : job.tables) {
    table.block_by = embedding::BlockBy::hash;
    job.plan.tables[table.name].min_partition = 4;
  }
  return job;
}

void compare(bool every) {
  if (!device_is_host) return;  // a device does not read growing tables
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "growing_plans");
  const embedding::GrowthRules growths[] = {{.eviction = Eviction::lru},
                                            {.admit_after = 2, .eviction = Eviction::lfu},
                                            {.eviction = Eviction::ttl, .ttl = 3},
                                            {.eviction = Eviction::none, .unknown = embedding::UnknownRow::start}};
  const std::optional<ShardingType> plans[] = {ShardingType::table_wise, ShardingType::row_wise,
                                               ShardingType::column_wise, ShardingType::grid, std::nullopt};
  int turn = world.size();  // other cases on other numbers of ranks
  for (const embedding::GrowthRules& growth : growths)
    for (const optim::Type type :
         {optim::Type::sgd, optim::Type::adagrad, optim::Type::rowwise_adagrad, optim::Type::adam})
      for (const int accumulate : {1, 2}) {
        train::Job job = job_of(growth, type, accumulate);
        job.run.output = folder.path();
        std::optional<Digests> expected;
        for (const std::optional<ShardingType>& plan : plans)
          for (const bool ahead : {true, false}) {
            if (turn++ % 19 != 0 && !every) continue;
            if (!expected) expected = digests_alone(world, job);
            train::Job planned = job;
            planned.plan.default_type = plan;
            planned.plan.ranks_per_node = world.size() % 2 == 0 ? 2 : 1;
            planned.train.pipeline = ahead;
            INFO("eviction " << int(growth.eviction) << ", " << optim::info(type).name << ", accumulate " << accumulate
                             << ", " << (plan ? planning::name(*plan) : "auto") << ", pipeline " << ahead << ", "
                             << world.size() << " ranks");
            const train::TrainResult result = run(world, planned);
            const Digests reached = {result.weights_digest, result.state_digest};
            REQUIRE(reached == *expected);
            REQUIRE(result.tables.at(1).growth.evicted > 0);
            if (growth.eviction == Eviction::none)
              REQUIRE(result.tables.at(0).growth.refused > 0);
            else
              REQUIRE(result.tables.at(0).growth.evicted > 0);
          }
      }
}

}  // namespace

TEST_CASE("growing tables: every plan has one digest while rows leave") { compare(false); }

TEST_CASE("growing tables: every plan has one digest while rows leave, in all cases", "[.][every]") { compare(true); }
