// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include "batches.hpp"
#include "catch.hpp"
#include "errors.hpp"
#include "oracle.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/embedding/embedding_bag_collection.hpp>

using namespace tesserec;
using embedding::EmbeddingBagCollection;
using embedding::EmbeddingBagConfig;
using embedding::PoolingType;

namespace {

constexpr std::uint64_t seed = 5;

using Bags = std::vector<std::vector<std::vector<Index>>>;
using Weights = std::vector<std::vector<std::vector<float>>>;

/// Returns three samples a key: a long bag, an empty one, a single id.
Bags ids(Index rows, int keys) {
  const Random random(1, Purpose::test, 0);
  Bags all(static_cast<std::size_t>(keys), std::vector<std::vector<Index>>(3));
  for (int k = 0; k < keys; ++k) {
    for (Index i = 0; i < 90; ++i)
      all[k][0].push_back(static_cast<Index>(random.below(static_cast<std::uint64_t>(rows), k, i)));
    all[k][2] = {rows - 1};
  }
  return all;
}

Weights weights_like(const Bags& bags) {
  const Random random(2, Purpose::test, 0);
  Weights all;
  for (const auto& key : bags) {
    all.emplace_back();
    for (const auto& bag : key) {
      all.back().emplace_back();
      for (std::size_t i = 0; i < bag.size(); ++i)
        all.back().back().push_back(random.normal(static_cast<Index>(all.size()), static_cast<Index>(i)));
    }
  }
  return all;
}

std::vector<oracle::Row> rows_of(const embedding::EmbeddingBag& bag) {
  std::vector<oracle::Row> rows;
  const Index dim = bag.config().embedding_dim;
  for (Index r = 0; r < bag.config().num_embeddings; ++r)
    rows.emplace_back(bag.weights().data() + r * dim, bag.weights().data() + (r + 1) * dim);
  return rows;
}

}  // namespace

TEST_CASE("EmbeddingBagCollection: pools by the oracle's tree for all poolings and shared tables") {
  const Exec exec;
  const Index rows = 2500;
  EmbeddingBagCollection collection({{"one", rows, 5, {"a", "b"}, PoolingType::sum, false, {}},
                                     {"two", rows, 12, {"b"}, PoolingType::mean, true, {}},
                                     {"three", rows, 4, {"c"}, PoolingType::mean, false, {}}});
  REQUIRE(collection.embedding_names() == std::vector<std::string>{"a", "b@one", "b@two", "c"});
  REQUIRE(collection.features() == std::vector<std::string>{"a", "b", "c"});
  collection.initialize(exec, seed);
  const Bags bags = ids(rows, 3);
  const Weights weights = weights_like(bags);
  // The keys are in another order than the collection's, and one key is unknown to it.
  const auto pooled = collection.forward(exec, batch_of({"b", "x", "a", "c"}, {bags[1], bags[0], bags[0], bags[2]},
                                                        {weights[1], weights[0], weights[0], weights[2]}));
  REQUIRE(pooled.keys == collection.embedding_names());
  REQUIRE(pooled.length_per_key == std::vector<Index>{5, 5, 12, 4});
  REQUIRE(pooled.values.extent(0) == 3);
  REQUIRE(pooled.values.extent(1) == 26);

  const char* tables[] = {"one", "one", "two", "three"};
  const int keys[] = {0, 1, 1, 2};
  Index column = 0;
  for (int f = 0; f < 4; ++f) {
    const auto& table = collection.embedding_bag(tables[f]);
    const auto rows_here = rows_of(table);
    for (std::size_t s = 0; s < 3; ++s) {
      oracle::Bag bag;
      bag.ids.assign(bags[keys[f]][s].begin(), bags[keys[f]][s].end());
      if (table.config().weighted) bag.weights = weights[keys[f]][s];
      const auto expected = oracle::pool(rows_here, bag, table.config().pooling == PoolingType::mean);
      const float* row = pooled.values.data() + static_cast<Index>(s) * 26 + column;
      REQUIRE(std::equal(expected.begin(), expected.end(), row));
    }
    column += pooled.length_per_key[f];
  }
}

TEST_CASE("EmbeddingBag: forward() of ids and offsets has the vectors of a batch") {
  const Exec exec;
  EmbeddingBagCollection collection({{"product_table", 4096, 64, {"product"}, {}, false, {}}});
  collection.initialize(exec, seed);
  const std::vector<Index> input = {101, 202, 303}, offsets = {0, 2, 2};
  const auto bags = collection.embedding_bag("product_table").forward(exec, input, offsets);
  const auto pooled = collection.forward(exec, batch_of({"product"}, {{{101, 202}, {}, {303}}}));
  REQUIRE(bags.extent(0) == 3);
  REQUIRE(bags.extent(1) == 64);
  REQUIRE(std::equal(bags.data(), bags.data() + 3 * 64, pooled.values.data()));
  REQUIRE(collection.embedding_bag("product_table").forward(exec, {}, {}).extent(0) == 0);
  const std::vector<Index> empty_bags = {0, 0};
  const auto zeros = collection.embedding_bag("product_table").forward(exec, {}, empty_bags);
  REQUIRE(std::all_of(zeros.data(), zeros.data() + 2 * 64, [](float x) { return x == 0.0f; }));
}

TEST_CASE("EmbeddingBagCollection: throws before initialize() and describes itself") {
  const Exec exec;
  const EmbeddingBagCollection collection({{"t", 7, 4, {"a", "b"}, PoolingType::mean, true, {}}});
  REQUIRE(error_of([&] { collection.embedding_bag("t"); }) == "table t has no storage yet; call initialize()");
  REQUIRE(error_of([&] {
            collection.forward(exec, batch_of({"a", "b"}, {{}, {}}));
          }).find("call allocate() or initialize()") != std::string::npos);
  REQUIRE(collection.describe() ==
          "EmbeddingBagCollection(\n  (t): EmbeddingBag(7, 4, mode='mean', weighted, features=['a', 'b'])\n)\n");
}

TEST_CASE("EmbeddingBagCollection: the constructor throws with the table and feature that are wrong") {
  const auto made = [](std::vector<EmbeddingBagConfig> tables) {
    return error_of([&] { EmbeddingBagCollection{tables}; });
  };
  CHECK(made({}) == "the embedding bag collection has no table; add one");
  CHECK(made({{"", 7, 4, {"a"}, {}, false, {}}}) == "table 0 (counted from 0) of the collection has no name; set one");
  CHECK(made({{"t", 7, 4, {"a"}, {}, false, {}}, {"t", 7, 4, {"b"}, {}, false, {}}}) ==
        "table t: the collection has two tables of this name; rename one");
  CHECK(made({{"t", 0, 4, {"a"}, {}, false, {}}}) == "table t: num_embeddings is 0; set 1 or more");
  CHECK(made({{"t", 7, -1, {"a"}, {}, false, {}}}) == "table t: embedding_dim is -1; set 1 or more");
  CHECK(made({{"t", 7, 4, {}, {}, false, {}}}) == "table t: feature_names is empty; name a feature");
  CHECK(made({{"t", 7, 4, {"a", "a"}, {}, false, {}}}) == "table t: feature \"a\" is listed twice; remove one");
}

TEST_CASE("EmbeddingBagCollection: forward() throws with table and feature and sample and id") {
  const Exec exec;
  EmbeddingBagCollection collection({{"t", 7, 4, {"a"}, {}, false, {}}, {"w", 7, 4, {"b"}, {}, true, {}}});
  collection.initialize(exec, seed);
  const auto looked_up = [&](const jagged::KeyedJaggedTensor& batch) {
    return error_of([&] { collection.forward(exec, batch); });
  };
  CHECK(looked_up(batch_of({"b"}, {{{1}}})) == "table t: feature \"a\" is not in the batch, which has b");
  CHECK(looked_up(batch_of({"a", "b"}, {{{1}, {0, 7}}, {{1}, {}}})) ==
        "feature a, sample 1: id 7 is outside table t of 7 rows");
  CHECK(looked_up(batch_of({"a", "b"}, {{{-1}}, {{1}}})) == "feature a, sample 0: id -1 is outside table t of 7 rows");
  CHECK(looked_up(batch_of({"a", "b"}, {{{1}}, {{1}}})) ==
        "table w is weighted, but the batch has no weights for feature \"b\"; add weights");
  CHECK(error_of([&] { collection.embedding_bag("v"); }) == "there is no table \"v\"; name one of t, w");

  const auto bags = [&](const char* table, std::vector<Index> input, std::vector<Index> offsets,
                        std::vector<float> weights) {
    return error_of([&] { collection.embedding_bag(table).forward(exec, input, offsets, weights); });
  };
  CHECK(bags("t", {1, 2}, {0, 1}, {}) == "");
  CHECK(bags("t", {1, 7}, {0, 1}, {}) == "table t: bag 1: id 7 is outside its rows 0 to 6");
  CHECK(bags("t", {1, 2}, {1, 2}, {}) == "table t: the first offset is 1; set it to 0");
  CHECK(bags("t", {1, 2}, {0, 3}, {}) == "table t: bag 1 starts at 3, but ends at 2; sort the offsets");
  CHECK(bags("t", {1, 2}, {}, {}) == "table t: offsets is empty, but the input has 2 ids; give the offset of each bag");
  CHECK(bags("t", {1, 2}, {0}, {1, 1}) ==
        "table t: the input has 2 weights, but the table is not weighted; omit them, or set weighted");
  CHECK(bags("w", {1, 2}, {0}, {1}) == "table w: the input has 1 weight for 2 ids; give one per id");
}
