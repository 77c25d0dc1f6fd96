// SPDX-License-Identifier: Apache-2.0
#include "catch.hpp"
#include "errors.hpp"
#include "law_plans.hpp"
#include <tesserec/sharding/distributed_model_parallel.hpp>

using namespace tesserec;

TEST_CASE("gather: returns a table's rows in order under every plan on all ranks or on one") {
  const Exec exec;
  const comm::Communicator env(MPI_COMM_WORLD);
  embedding::EmbeddingBagCollection whole({{"five", 3000, 5, {"a"}, {}, false, {}},
                                           {"few", 7, 16, {"b"}, {}, false, {}},
                                           {"twelve", 1500, 12, {"c"}, {}, false, {}}});
  whole.initialize(exec, 4);
  std::vector<planning::ShardingPlan> plans = law::plans(whole.tables(), env.size());
  for (const planning::ShardingPlan& plan : law::group_plans(whole.tables(), env.size())) plans.push_back(plan);
  for (const planning::ShardingPlan& plan : plans) {
    sharding::ParallelOptions options;
    options.seed = 4;
    options.plan = plan;
    const sharding::DistributedModelParallel model(exec, whole, env, options);
    for (const embedding::EmbeddingBagConfig& table : whole.tables()) {
      const auto& rows = whole.embedding_bag(table.name).weights();
      const std::vector<float> expected(rows.data(), rows.data() + rows.size());
      INFO(model.describe() << table.name);
      REQUIRE(tesserec::sharding::gather(exec, model, table.name) == expected);
      const int root = env.size() - 1;
      REQUIRE(tesserec::sharding::gather(exec, model, table.name, root) ==
              (env.rank() == root ? expected : std::vector<float>()));
    }
  }
  const sharding::DistributedModelParallel model(exec, whole, env);
  CHECK(error_of([&] { tesserec::sharding::gather(exec, model, "fiv"); }) ==
        "there is no table \"fiv\"; name one of five, few, twelve");
  CHECK(mentions(error_of([&] { tesserec::sharding::gather(exec, model, "five", env.size()); }), "root = "));
  if (env.size() > 1)
    CHECK(mentions(error_of([&] { tesserec::sharding::gather(exec, model, env.rank() == 0 ? "five" : "few"); }),
                   "rank 1: table is \"few\""));
}
