// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "catch.hpp"
#include "oracle.hpp"
#include <tesserec/embedding/table.hpp>

using namespace tesserec;
using embedding::ComputeKernel;
using embedding::EmbeddingTable;
using embedding::RowBlocks;

namespace {

constexpr Range whole{0, RowBlocks::count};

embedding::EmbeddingBagConfig config(Index rows, Index dim) { return {"t", rows, dim, {"f"}, {}, false, {}}; }

}  // namespace

TEST_CASE("start values lie within the square root of 1/rows and do not depend on the shard") {
  const Exec exec;
  EmbeddingTable table(exec, config(5000, 7), whole, {0, 7}, {}, ComputeKernel::fused);
  table.initialise(exec, 3, 2);
  const float bound = std::sqrt(1.0f / 5000);
  float low = 0, high = 0;
  for (Index i = 0; i < 5000 * 7; ++i)
    low = std::min(low, table.weights().data()[i]), high = std::max(high, table.weights().data()[i]);
  REQUIRE((-bound <= low && low < -0.99f * bound && 0.99f * bound < high && high <= bound));
  const Range blocks{300, 700};
  EmbeddingTable shard(exec, config(5000, 7), blocks, {0, 7}, {}, ComputeKernel::fused);
  shard.initialise(exec, 3, 2);
  REQUIRE(std::equal(shard.weights().data(), shard.weights().data() + shard.rows().size() * 7,
                     table.weights().data() + shard.rows().begin * 7));
}

TEST_CASE("the dense kernel moves every row, the fused one the touched rows alone") {
  const Exec exec;
  optim::Settings adam;
  adam.type = optim::Type::adam;
  adam.lr = 0.1;
  const Index offsets[] = {0, 1, 1, 2}, ids[] = {4, 4};
  const std::vector<float> gradients = {1, -2, 3, 0.5f, 0.5f, 0.5f};
  embedding::Bags bags;
  bags.count = 3;
  bags.offsets = offsets;
  bags.ids = ids;
  for (const ComputeKernel kernel : {ComputeKernel::dense, ComputeKernel::fused}) {
    EmbeddingTable table(exec, config(6, 3), whole, {0, 3}, adam, kernel);
    table.initialise(exec, 1, 0);
    Index moved_later = 0;
    for (Index step = 1; step <= 2; ++step) {  // the second batch has no id at all
      embedding::Bags none = bags;
      const Index zeros[] = {0, 0, 0, 0};
      none.offsets = zeros;
      const std::vector<float> before(table.weights().data(), table.weights().data() + 18);
      table.prepare({{step == 1 ? bags : none}}, Lanes(1), 3);
      table.update(exec, gradients.data(), adam.lr, step);
      for (Index row = 0; row < 6; ++row) {
        const bool moved =
            !std::equal(before.begin() + row * 3, before.begin() + row * 3 + 3, table.weights().data() + row * 3);
        if (step == 1) REQUIRE(moved == (row == 4));  // Adam with gradient 0 and no past stands still
        if (step == 2) moved_later += moved;
      }
    }
    REQUIRE(moved_later == (kernel == ComputeKernel::dense ? 1 : 0));  // momentum moves row 4 on without a gradient
  }
}

TEST_CASE("a bag is pooled by the oracle's tree, in blocks of several rows and whatever its length") {
  const Exec exec;
  constexpr Index rows = 5000, dim = 9;
  EmbeddingTable table(exec, config(rows, dim), whole, {0, dim}, {}, ComputeKernel::fused);
  table.initialise(exec, 8, 0);
  std::vector<oracle::Row> plain;
  for (Index r = 0; r < rows; ++r)
    plain.emplace_back(table.weights().data() + r * dim, table.weights().data() + (r + 1) * dim);
  for (const Index length : {0, 1, 2, 64, 65, 300}) {
    oracle::Bag bag;
    for (Index i = 0; i < length; ++i) bag.ids.push_back((i * 7919 + length) % rows);
    std::vector<Index> ids(bag.ids.begin(), bag.ids.end());
    ids.push_back(0);
    const Index offsets[] = {0, length};
    embedding::Bags bags;
    bags.count = 1;
    bags.offsets = offsets;
    bags.ids = ids.data();
    const embedding::Nodes nodes = embedding::subtree_nodes(table.row_blocks(), whole, bags);
    REQUIRE(nodes.offsets[1] == (length > 0 ? 1 : 0));
    oracle::Row out(dim, 0.0f);
    table.lookup(exec, bags, nodes, out.data());
    REQUIRE(out == oracle::pool(plain, bag, false));
  }
}
