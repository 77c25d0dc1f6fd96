// SPDX-License-Identifier: Apache-2.0
#include "catch.hpp"
#include <tesserec/planning/plan_text.hpp>

using namespace tesserec;
using planning::ShardingType;

TEST_CASE("plan_text: prints a plan table by table and shard by shard") {
  const std::vector<embedding::EmbeddingBagConfig> tables = {{"t", 10, 12, {"a"}, {}, false, {}},
                                                             {"longer", 2048, 8, {"b"}, {}, false, {}},
                                                             {"copy", 3, 4, {"c"}, {}, false, {}}};
  const auto fused = planning::ComputeKernel::fused, dense = planning::ComputeKernel::dense;
  const planning::ShardingPlan plan = {
      {ShardingType::grid, fused, {}, planning::cut(tables[0], 2, 2, std::vector<int>{1, 0, 3, 1})},
      {ShardingType::table_wise, fused, {}, planning::cut(tables[1], 1, 1, std::vector<int>{2})},
      {ShardingType::data_parallel, dense, {}, {}}};
  REQUIRE(planning::plan_text(tables, plan, 4) ==
          "table  | sharding type | compute kernel | ranks\n"
          "-------+---------------+----------------+-------------\n"
          "t      | grid          | fused          | [1, 0, 3]\n"
          "longer | table_wise    | fused          | [2]\n"
          "copy   | data_parallel | dense          | [0, 1, 2, 3]\n"
          "\n"
          "table  | shard offsets | shard sizes | placement\n"
          "-------+---------------+-------------+------------\n"
          "t      | [0, 0]        | [8, 4]      | rank 1, cpu\n"
          "t      | [8, 0]        | [2, 4]      | rank 0, cpu\n"
          "t      | [0, 4]        | [8, 8]      | rank 3, cpu\n"
          "t      | [8, 4]        | [2, 8]      | rank 1, cpu\n"
          "longer | [0, 0]        | [2048, 8]   | rank 2, cpu\n");
  REQUIRE(planning::plan_text({&tables[2], 1}, {plan[2]}, 1) ==
          "table | sharding type | compute kernel | ranks\n"
          "------+---------------+----------------+------\n"
          "copy  | data_parallel | dense          | [0]\n");
}
