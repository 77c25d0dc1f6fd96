// SPDX-License-Identifier: Apache-2.0
// The first worked example of docs/design/law.md: the sum of one bag, and the partial sums that owners return.
#include <vector>

#include "catch.hpp"
#include <tesserec/core/tree.hpp>
#include <tesserec/embedding/embedding_bag.hpp>
#include <tesserec/embedding/pooling.hpp>
#include <tesserec/embedding/row_blocks.hpp>

using namespace tesserec;

namespace {

constexpr float two_24 = 16777216.0f;  // M: floats above it are even

const embedding::EmbeddingBagConfig bag_table = {"t", 4096, 1, {"f"}, {}, false, {}};
const std::vector<Index> bag_ids = {2, 4, 0, 2052, 1, 2048};

float value_of(Index row) {
  switch (row) {
    case 2:
      return two_24;
    case 4:
      return 3.0f;
    case 2052:
      return -two_24;
    default:
      return 1.0f;
  }
}

/// Partial sums that an owner of row blocks returns for the bag's ids in them.
struct OwnerAnswer {
  std::vector<Index> leaves;
  std::vector<float> sums;
};
/// Looks up `ids`, which lie in `blocks`, in a shard of these blocks.
OwnerAnswer answer_of(Range blocks, const std::vector<Index>& ids) {
  const Exec exec;
  const embedding::EmbeddingTable table(exec, {.config = bag_table, .blocks = blocks, .columns = {0, 1}});
  for (Index row = table.rows().begin; row < table.rows().end; ++row)
    table.weights().data()[row - table.rows().begin] = value_of(row);
  const Index offsets[] = {0, std::ssize(ids)};
  embedding::Bags bags;
  bags.count = 1;
  bags.offsets = offsets;
  bags.ids = ids.data();
  const embedding::Nodes nodes = embedding::subtree_nodes(table.block_of(), blocks, bags);
  OwnerAnswer answer{{}, std::vector<float>(nodes.begin(1))};
  for (Index sum = 0; sum < nodes.begin(1); ++sum) answer.leaves.push_back(nodes.leaf(sum));
  embedding::pool({table.block_of(), blocks, table.weights().data(), table.rows().begin, 1}, bags, nodes, {0, 1},
                  answer.sums.data());
  return answer;
}

}  // namespace

TEST_CASE("float: worked example of a bag rounds odd sums above 2^24 to multiples of 4") {
  CHECK(two_24 + 1 == 16777216.0f);
  CHECK(two_24 + 3 == 16777220.0f);
  CHECK(two_24 + 5 == 16777220.0f);
  CHECK(two_24 + 7 == 16777224.0f);
}

TEST_CASE("RowBlocks: worked example of a bag has blocks 0 and 1 and 512 and 513") {
  const embedding::RowBlocks blocks(4096);
  CHECK(blocks.rows({0, 1}) == Range{0, 4});
  std::vector<Index> of_ids;
  for (const Index id : bag_ids) of_ids.push_back(blocks.block(id));
  CHECK(of_ids == std::vector<Index>{0, 1, 0, 513, 0, 512});
  CHECK(merge_height(0, 1) == 1);
  CHECK(merge_height(512, 513) == 1);
  CHECK(merge_height(0, 512) == 10);
  CHECK(merge_height(1, 512) == 10);
}

TEST_CASE("EmbeddingBag: worked example of a bag sums to 5 and other orders give 6 or 4") {
  const Exec exec;
  const embedding::EmbeddingBag bag(exec, bag_table);
  for (Index row = 0; row < 4096; ++row) bag.weights().data()[row] = value_of(row);
  const Index offsets[] = {0};
  CHECK(bag.forward(exec, bag_ids, offsets)(0, 0) == 5.0f);

  const auto in_a_row = [](const std::vector<Index>& ids) {
    float sum = 0.0f;
    std::vector<float> sums;
    for (const Index id : ids) sums.push_back(sum += value_of(id));
    return sums;
  };
  CHECK(in_a_row(bag_ids) == std::vector<float>{two_24, two_24 + 4, two_24 + 4, 4, 5, 6});
  CHECK(in_a_row({0, 1, 2, 4, 2048, 2052}) == std::vector<float>{1, 2, two_24 + 2, two_24 + 4, two_24 + 4, 4});
  double exact = 0.0;
  for (const Index id : bag_ids) exact += value_of(id);
  CHECK(exact == 6.0);
}

TEST_CASE("pool: worked example of a bag adds the rows of a block in bag order") {
  CHECK(answer_of({0, 1}, {2, 0, 1}).sums == std::vector<float>{two_24});
  CHECK(answer_of({0, 1}, {0, 1, 2}).sums == std::vector<float>{two_24 + 2});
}

TEST_CASE("pool: worked example of a bag has one sum from each owner of half the blocks") {
  const OwnerAnswer left = answer_of({0, 512}, {2, 4, 0, 1}), right = answer_of({512, 1024}, {2052, 2048});
  CHECK(left.leaves == std::vector<Index>{0});
  CHECK(left.sums == std::vector<float>{16777220.0f});
  CHECK(right.leaves == std::vector<Index>{512});
  CHECK(right.sums == std::vector<float>{-16777215.0f});
  CHECK(left.sums[0] + right.sums[0] == 5.0f);
}

TEST_CASE("pool: worked example of a bag has two sums from the owner of blocks 1 to 1023") {
  const OwnerAnswer left = answer_of({0, 1}, {2, 0, 1}), right = answer_of({1, 1024}, {4, 2052, 2048});
  CHECK(left.leaves == std::vector<Index>{0});
  CHECK(left.sums == std::vector<float>{two_24});
  CHECK(right.leaves == std::vector<Index>{1, 512});
  CHECK(right.sums == std::vector<float>{3.0f, -16777215.0f});
  CHECK((left.sums[0] + right.sums[0]) + right.sums[1] == 5.0f);
  CHECK(left.sums[0] + (right.sums[0] + right.sums[1]) == 4.0f);
}
