// SPDX-License-Identifier: Apache-2.0
// A table whose rows appear while training: ids without a row add nothing to summed gradients.
#include <algorithm>

#include "batches.hpp"
#include "catch.hpp"
#include <tesserec/core/exact_sum.hpp>
#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>
#include <tesserec/tiers/growing_rows.hpp>

using namespace tesserec;

TEST_CASE("ShardedEmbeddingBagCollection: gradients of ids without a row are in no sum") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Exec exec;
  std::vector<embedding::EmbeddingBagConfig> tables(1);
  tables[0].name = "t";
  tables[0].num_embeddings = 4096;
  tables[0].embedding_dim = 4;
  tables[0].feature_names = {"f"};
  tables[0].block_by = embedding::BlockBy::hash;
  planning::ShardingPlan plan(1);
  plan[0].shards = {{0, {0, embedding::block_count}, {0, 4}}};
  const Lanes lanes(8);
  for (const Kernels kernels : {Kernels::simd, Kernels::portable}) {
    if (place_of(kernels) == Place::device) continue;  // its rows lie in host memory
    sharding::ShardedEmbeddingBagCollection collection(
        exec, comm, tables, plan, {"f"}, lanes,
        {.sparse = {}, .dense = {}, .kernels = kernels, .store = tiers::growing_rows({.admit_after = 2})});
    collection.initialize(exec, 1);
    const Index samples = 16;
    const BatchSplit split(lanes, comm.size(), samples);
    const auto squares = [&](Index first_id) {
      std::vector<std::vector<std::vector<Index>>> ids(1);
      const Range own = split.samples(comm.rank());
      for (Index s = own.begin; s < own.end; ++s) ids[0].push_back({first_id + s});
      auto batch = collection.start(exec, batch_of({"f"}, ids), split);
      collection.forward(exec, batch);
      const auto gradient = collection.gradient(exec, batch).pooled;
      std::fill_n(gradient.data(), std::ssize(gradient), 1.0f);
      sharding::GradientSums sums;
      collection.backward(exec, std::move(batch), sums);
      ExactSum sum = sums.squares(exec);
      comm.sum(sum.words());
      return sum.value();
    };
    CHECK(squares(100) == 0);                                        // no id has a row yet
    CHECK(squares(100 + samples / 2) == 4.0 * double(samples) / 2);  // half of the ids come a second time
    CHECK(squares(100) == 4.0 * double(samples));
  }
}
