// SPDX-License-Identifier: Apache-2.0
// Pooled vectors and the tables' gradients against torch's embedding_bag. The program has no gradient of the
// per-sample weights (grad_sample_weights): they are data, nothing learns them.
#include "catch.hpp"
#include "tables.hpp"

using namespace tesserec;
using embedding::PoolingType;

TEST_CASE("ShardedEmbeddingBagCollection: golden sum and mean with and without weights") {
  const store::File file = golden::open("pooling.h5");
  for (const std::string name : {"sum", "mean", "sum_weighted", "mean_weighted"})
    for (const int lanes : {1, 8}) {
      INFO(name << ", " << lanes << " lanes");
      REQUIRE(file.exists(name + "/pooled"));
      golden::Tables tables(file, name.rfind("mean", 0) == 0 ? PoolingType::mean : PoolingType::sum,
                            name.find("weighted") != std::string::npos, {}, lanes);
      CHECK(golden::gap(tables.lookup("input"), file.read_all<float>(name + "/pooled")) <= 2e-6);
      tables.send(file.read_all<float>("input/upstream"));
      for (std::size_t t = 0; t < tables.count(); ++t) {
        INFO("table " << t);
        const auto want = file.read_all<float>(name + "/grad_table_" + std::to_string(t));
        CHECK(golden::gap(tables.gradient(t), want) <= 2e-6);
      }
    }
}
