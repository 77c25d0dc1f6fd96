// SPDX-License-Identifier: Apache-2.0
// The first worked example of docs/design/law.md over ranks: the bag's sum is 5 under every plan.
#include "batches.hpp"
#include "catch.hpp"
#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>

using namespace tesserec;
using planning::ExchangeForm;
using planning::ShardingType;

TEST_CASE("ShardedEmbeddingBagCollection: worked example of a bag that sums to 5 under every plan") {
  const Exec exec;
  const comm::Communicator comm(MPI_COMM_WORLD);
  const embedding::EmbeddingBagConfig table = {"t", 4096, 1, {"f"}, {}, false, {}};
  const int last = comm.size() - 1;
  const auto plan_of = [](ExchangeForm form, std::vector<planning::Shard> shards) {
    const ShardingType type = shards.size() > 1 ? ShardingType::row_wise : ShardingType::table_wise;
    return planning::ShardingPlan{{type, embedding::ComputeKernel::fused, form, std::move(shards)}};
  };
  for (const ExchangeForm form : {ExchangeForm::pooled, ExchangeForm::rows})
    for (const planning::ShardingPlan& plan :
         {plan_of(form, {{0, {0, 1024}, {0, 1}}}), plan_of(form, {{0, {0, 512}, {0, 1}}, {last, {512, 1024}, {0, 1}}}),
          plan_of(form, {{0, {0, 1}, {0, 1}}, {last, {1, 1024}, {0, 1}}})}) {
      const Lanes lanes(4);
      sharding::ShardedEmbeddingBagCollection tables(exec, comm, {table}, plan, {"f"}, lanes, {{}, {}, Kernels::simd});
      for (const auto& shard : tables.shards()) {
        const Range rows = shard.rows->rows();
        for (Index row = rows.begin; row < rows.end; ++row) {
          float value = 1.0f;
          if (row == 2) value = 16777216.0f;
          if (row == 4) value = 3.0f;
          if (row == 2052) value = -16777216.0f;
          shard.rows->weights().data()[row - rows.begin] = value;
        }
      }
      const Index own_samples = lanes.samples_of_rank(comm.rank(), comm.size(), 4).size();
      auto batch = tables.start(
          exec, batch_of({"f"}, {std::vector<std::vector<Index>>(own_samples, {2, 4, 0, 2052, 1, 2048})}), 4);
      const auto pooled = tables.forward(exec, batch).pooled;
      INFO(plan[0].shards.size() << " shards, the first of " << plan[0].shards[0].blocks.size() << " blocks");
      for (Index s = 0; s < own_samples; ++s) CHECK(pooled(s, 0) == 5.0f);
    }
}
