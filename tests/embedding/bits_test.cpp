// SPDX-License-Identifier: Apache-2.0
// Digests of a lookup and of two updates. A change here changes the bits of every model.
#include "catch.hpp"
#include "digest.hpp"
#include "src/embedding/simd_shard.hpp"
#include <tesserec/core/random.hpp>

using namespace tesserec;
using embedding::EmbeddingTable;

TEST_CASE("EmbeddingTable: a lookup and two updates have the bits they had when this was written") {
  constexpr Index rows = 5000, dim = 19, samples = 200;
  const Exec exec;
  optim::Settings settings;
  settings.type = optim::Type::rowwise_adagrad;
  EmbeddingTable table(exec,
                       {.config = {"t", rows, dim, {"f"}, {}, false, {}}, .columns = {0, dim}, .optimizer = settings});
  embedding::SimdShard shard(table);
  table.initialize(exec, 3, 2);
  const std::vector<float> start(table.weights().data(), table.weights().data() + rows * dim);

  const Random random(12, Purpose::test);
  std::vector<Index> offsets{0}, ids;
  std::vector<float> weights, gradients;
  for (Index s = 0; s < samples; ++s) {  // from no id to more than a short bag has; some of them twice
    for (Index i = 0; i < s * s % 83; ++i) {
      ids.push_back(static_cast<Index>(random.below(s % 2 == 0 ? 100 : rows, s, 2 * i)));
      weights.push_back(random.normal(s, 2 * i + 1));
    }
    offsets.push_back(std::ssize(ids));
    for (Index c = 0; c < dim; ++c) gradients.push_back(random.normal(s, 1000 + c));
  }
  embedding::Bags bags;
  bags.count = samples;
  bags.offsets = offsets.data();
  bags.ids = ids.data();
  bags.weights = weights.data();
  bags.gradients_stride = dim;
  const embedding::Nodes nodes = embedding::subtree_nodes(table.block_of(), table.blocks(), bags);
  std::vector<float> sums(static_cast<std::size_t>(nodes.begin(samples) * dim));
  for (Index task = 0; task < embedding::lookup_tasks(bags); ++task)
    embedding::lookup(table, task, bags, nodes, sums.data());
  for (Index step = 1; step <= 2; ++step) {
    shard.order({{bags}}, BatchSplit(Lanes(8), 1, samples));
    shard.move(0, 1, gradients.data(), {optim::step_scalars(settings, 0.1, step), step});
  }
  const std::vector<float> moved(table.weights().data(), table.weights().data() + rows * dim),
      state(table.store().states()[0].values.data(), table.store().states()[0].values.data() + rows);
  CHECK(test::digest(start) == 0xc193a21e0740eb0d);
  CHECK(test::digest(sums) == 0x557ce5b7f045e46a);
  CHECK(test::digest(moved) == 0x0fac5e8080a207ba);
  CHECK(test::digest(state) == 0x92c9270fe920d9b2);
}
