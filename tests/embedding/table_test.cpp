// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>

#include "catch.hpp"
#include "oracle.hpp"
#include "src/embedding/simd_shard.hpp"
#include <tesserec/core/random.hpp>
#include <tesserec/embedding/row_blocks.hpp>

using namespace tesserec;
using embedding::ComputeKernel;
using embedding::EmbeddingTable;

namespace {

constexpr Range whole{0, embedding::block_count};

embedding::TableShard shard_of(Index rows, Index dim, const optim::Settings& optimizer = {},
                               ComputeKernel kernel = ComputeKernel::fused) {
  return {{"t", rows, dim, {"f"}, {}, false, {}}, whole, {0, dim}, optimizer, kernel};
}

/// Moves the touched rows of bags, in `shares` shares.
void update(EmbeddingTable& table, const embedding::Bags& bags, const BatchSplit& split, const float* gradients,
            double lr, Index step, Index shares = 1) {
  const embedding::ShardStep of_shard{optim::step_scalars(table.optimizer(), lr, step), step};
  embedding::SimdShard shard(table);
  shard.order({{bags}}, split);
  for (Index share = 0; share < shares; ++share) shard.move(share, shares, gradients, of_shard);
  shard.finish_move(Exec(), of_shard);
}

}  // namespace

TEST_CASE("EmbeddingTable: start values lie within sqrt(1 / rows) and do not depend on the shard") {
  const Exec exec;
  EmbeddingTable table(exec, shard_of(5000, 7));
  table.initialize(exec, 3, 2);
  const float bound = std::sqrt(1.0f / 5000);
  float low = 0, high = 0;
  for (Index i = 0; i < 5000 * 7; ++i)
    low = std::min(low, table.weights().data()[i]), high = std::max(high, table.weights().data()[i]);
  REQUIRE((-bound <= low && low < -0.99f * bound && 0.99f * bound < high && high <= bound));
  EmbeddingTable other(exec, shard_of(5000, 7));
  for (const auto& [seed, number] : {std::pair<std::uint64_t, Index>{3, 1}, {4, 2}}) {
    other.initialize(exec, seed, number);
    Index same = 0;
    for (Index i = 0; i < 5000 * 7; ++i) same += other.weights().data()[i] == table.weights().data()[i];
    REQUIRE(same < 100);
  }
  embedding::TableShard config = shard_of(5000, 7);
  config.blocks = {300, 700};
  EmbeddingTable shard(exec, config);
  shard.initialize(exec, 3, 2);
  REQUIRE(std::equal(shard.weights().data(), shard.weights().data() + shard.rows().size() * 7,
                     table.weights().data() + shard.rows().begin * 7));
}

TEST_CASE("EmbeddingTable: the dense kernel moves every row and the fused kernel touched rows") {
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
    EmbeddingTable table(exec, shard_of(6, 3, adam, kernel));
    table.initialize(exec, 1, 0);
    Index moved_later = 0;
    for (Index step = 1; step <= 2; ++step) {  // the second batch has no id at all
      embedding::Bags none = bags;
      const Index zeros[] = {0, 0, 0, 0};
      none.offsets = zeros;
      const std::vector<float> before(table.weights().data(), table.weights().data() + 18);
      update(table, step == 1 ? bags : none, BatchSplit(Lanes(1), 1, 3), gradients.data(), adam.lr, step);
      for (Index row = 0; row < 6; ++row) {
        const bool moved =
            !std::equal(before.begin() + row * 3, before.begin() + row * 3 + 3, table.weights().data() + row * 3);
        if (step == 1) REQUIRE(moved == (row == 4));  // Adam with gradient 0 and zero states moves nothing
        if (step == 2) moved_later += moved;
      }
    }
    REQUIRE(moved_later == (kernel == ComputeKernel::dense ? 1 : 0));  // momentum moves row 4 again without a gradient
  }
}

TEST_CASE("EmbeddingTable: the dense kernel resets its gradient after each step") {
  const Exec exec;
  EmbeddingTable table(exec, shard_of(6, 3, {}, ComputeKernel::dense));  // sgd
  table.initialize(exec, 1, 0);
  const Index offsets[] = {0, 1};
  const std::vector<float> gradient = {1, -2, 3};
  embedding::Bags bags;
  bags.count = 1;
  bags.offsets = offsets;
  for (const Index id : {Index{4}, Index{2}}) {
    const std::vector<float> before(table.weights().data(), table.weights().data() + 18);
    bags.ids = &id;
    update(table, bags, BatchSplit(Lanes(1), 1, 1), gradient.data(), 0.1, 1);
    for (Index row = 0; row < 6; ++row)
      REQUIRE(std::equal(before.begin() + row * 3, before.begin() + row * 3 + 3, table.weights().data() + row * 3) ==
              (row != id));
  }
}

TEST_CASE("SimdShard: move() moves each row once by all its uses for any number of shares") {
  const Exec exec;
  constexpr Index rows = 20, dim = 3, samples = 64;
  optim::Settings adagrad;
  adagrad.type = optim::Type::adagrad;
  const Random random(4, Purpose::test);
  std::vector<Index> offsets, ids;
  std::vector<float> gradients;
  for (Index s = 0; s <= samples; ++s) offsets.push_back(s);
  for (Index s = 0; s < samples; ++s) ids.push_back(static_cast<Index>(random.below(rows, s, 0)));
  for (Index i = 0; i < samples * dim; ++i) gradients.push_back(random.normal(i, 1));
  embedding::Bags bags;
  bags.count = samples;
  bags.offsets = offsets.data();
  bags.ids = ids.data();
  const auto updated = [&](Index shares) {
    EmbeddingTable table(exec, shard_of(rows, dim, adagrad));
    table.initialize(exec, 1, 0);
    update(table, bags, BatchSplit(Lanes(4), 1, samples), gradients.data(), 0.1, 1, shares);
    return std::vector<float>(table.weights().data(), table.weights().data() + rows * dim);
  };
  const std::vector<float> alone = updated(1);
  for (Index shares = 2; shares <= 70; ++shares) REQUIRE(updated(shares) == alone);
}

TEST_CASE("SimdShard: max_gradient limits the sum of a row's gradients with each kernel") {
  const Exec exec;
  optim::Settings sgd;
  sgd.max_gradient = 0.5;
  const Index offsets[] = {0, 1, 2, 3}, ids[] = {1, 1, 0};
  const float gradients[] = {0.25f, 0.4f, -0.25f, 0.4f, 0.125f, -9.0f};
  embedding::Bags bags;
  bags.count = 3;
  bags.offsets = offsets;
  bags.ids = ids;
  for (const ComputeKernel kernel : {ComputeKernel::fused, ComputeKernel::dense}) {
    EmbeddingTable table(exec, shard_of(3, 2, sgd, kernel));
    std::fill_n(table.weights().data(), 6, 0.0f);
    update(table, bags, BatchSplit(Lanes(1), 1, 3), gradients, 1.0, 1);
    const std::vector<float> moved(table.weights().data(), table.weights().data() + 6);
    REQUIRE(moved == std::vector<float>{-0.125f, 0.5f, 0.0f, -0.5f, 0.0f, 0.0f});
  }
}

TEST_CASE("lookup and pool: pool a bag by the oracle's tree for any length and any owners") {
  const Exec exec;
  constexpr Index rows = 5000, dim = 9;
  const Random random(9, Purpose::test);
  EmbeddingTable table(exec, shard_of(rows, dim));
  table.initialize(exec, 8, 0);
  for (Index i = 0; i < rows * dim; i += 2) table.weights().data()[i / 5 * 5] = -0.0f;
  std::vector<oracle::Row> plain;
  for (Index r = 0; r < rows; ++r)
    plain.emplace_back(table.weights().data() + r * dim, table.weights().data() + (r + 1) * dim);
  for (Index trial = 0; trial < 400; ++trial) {
    const Index length = trial < 80 ? trial : trial == 80 ? 300 : static_cast<Index>(random.below(130, trial, 0));
    const std::uint64_t among = trial % 3 == 0 ? 40 : rows;  // few rows: several ids in a block, some twice
    oracle::Bag bag;
    for (Index i = 0; i < length; ++i) bag.ids.push_back(static_cast<long>(random.below(among, trial, i + 1)));
    const bool uncut = trial % 4 == 0;
    const Index border = uncut ? 0 : static_cast<Index>(random.below(embedding::block_count, trial, length + 1));
    std::vector<float> slots(static_cast<std::size_t>(TreeOrder::max_slots * dim));
    TreeOrder tree(whole_tree);
    const auto merge = [&](int into, int from) {
      for (Index c = 0; c < dim; ++c) slots[into * dim + c] += slots[from * dim + c];
    };
    for (const Range blocks : {Range{0, border}, Range{border, embedding::block_count}}) {
      const Range own = embedding::RowBlocks(rows).rows(blocks);
      std::vector<Index> ids;
      for (const long id : bag.ids)
        if (own.begin <= id && id < own.end) ids.push_back(id);
      const Index offsets[] = {0, static_cast<Index>(ids.size())};
      embedding::Bags bags;
      bags.count = 1;
      bags.offsets = offsets;
      bags.ids = ids.data();
      const embedding::Nodes nodes = embedding::subtree_nodes(table.block_of(), blocks, bags);
      if (border == 0 && blocks.size() == embedding::block_count) REQUIRE(nodes.begin(1) == (length > 0 ? 1 : 0));
      const Index count = nodes.begin(1);
      oracle::Row sums(static_cast<std::size_t>(count * dim), 0.0f);
      if (blocks.size() == embedding::block_count)
        embedding::lookup(table, 0, bags, nodes, sums.data());
      else
        embedding::pool({table.block_of(), blocks, table.weights().data(), 0, dim}, bags, nodes, {0, 1}, sums.data());
      for (Index k = 0; k < count; ++k) {
        const Index leaf = nodes.leaves.size() > static_cast<std::size_t>(k) && blocks.size() < embedding::block_count
                               ? nodes.leaves[static_cast<std::size_t>(k)]
                               : table.block_of()(ids[0]);
        std::copy_n(sums.data() + k * dim, dim, slots.data() + tree.push(leaf, merge) * dim);
      }
    }
    tree.finish(merge);
    REQUIRE(tree.size() == (length > 0 ? 1 : 0));
    const oracle::Row expected = oracle::pool(plain, bag, false);
    INFO(length << " ids, border " << border);
    REQUIRE((length == 0 || std::memcmp(expected.data(), slots.data(), dim * sizeof(float)) == 0));
  }
}
