// SPDX-License-Identifier: Apache-2.0
// OwnerBuckets against a plain selection of ids, and BagForm, the form in which bags are sent.
#include <algorithm>
#include <ctime>
#include <numeric>

#include "catch.hpp"
#include "src/sharding/message.hpp"
#include "src/sharding/requests.hpp"
#include <tesserec/core/random.hpp>

using namespace tesserec;
using namespace tesserec::sharding;

TEST_CASE("OwnerBuckets: gives each owner its ids once in the order of samples") {
  const Exec exec;
  constexpr Index rows = 3000;
  std::vector<std::vector<Index>> ids(40);
  std::vector<std::vector<float>> weights(40);
  const Random random(7, Purpose::planted_samples);
  for (Index s = 0; s < 40; ++s)
    for (Index i = 0; i < s % 9; ++i) {
      ids[s].push_back(Index(random.bits(0, s * 16 + i) % rows));
      weights[s].push_back(float(s) + float(i) / 16);
    }
  const auto batch = jagged::KeyedJaggedTensor::from_dense(exec, {"other", "a"}, {ids, ids}, {weights, weights});
  for (const embedding::BlockBy by : {embedding::BlockBy::rows, embedding::BlockBy::hash})
    for (const int owners : {2, 3, 7, 512}) {
      embedding::EmbeddingBagConfig table{.name = "t", .num_embeddings = rows, .feature_names = {"a"}};
      table.weighted = true;
      table.block_by = by;
      std::vector<std::uint16_t> owner_of(embedding::block_count);
      for (Index block = 0; block < embedding::block_count; ++block)
        owner_of[block] = std::uint16_t(block * owners / embedding::block_count);
      OwnerBuckets buckets(table, 1, owner_of, owners, true);
      buckets.fill(batch, 0);
      buckets.fill(batch, 0);  // replaces the contents
      Index all = 0;
      for (int owner = 0; owner < owners; ++owner) {
        const OwnerBags bags = buckets.of(owner);
        Index bag = 0, at = 0;
        for (Index s = 0; s < 40; ++s) {
          const Index begin = at;
          for (std::size_t i = 0; i < ids[s].size(); ++i) {
            if (owner_of[table.block_of()(ids[s][i])] != owner) continue;
            REQUIRE(at < bags.ids());
            REQUIRE(bags.rows[at] == ids[s][i]);
            REQUIRE(bags.weights[at] == weights[s][i]);
            REQUIRE(batch.values(batch.begin(1, 0) + bags.place(at)) == ids[s][i]);
            ++at;
          }
          CHECK(bags.from(s) == bag);
          if (at == begin) continue;
          REQUIRE(bag < bags.count());
          CHECK(bags.samples[bag] == s);
          CHECK(bags.offsets[bag] == begin);
          ++bag;
        }
        CHECK(bag == bags.count());
        CHECK(at == bags.ids());
        all += at;
      }
      CHECK(all == batch.length_per_key()[1]);
    }
}

TEST_CASE("BagForm: takes one length a sample or a shorter list of the samples with ids") {
  CHECK(BagForm{100, 1, 50}.dense());
  CHECK(!BagForm{100, 1, 49}.dense());
  CHECK(BagForm{100, 1, 49}.numbers() == 98);
  CHECK(BagForm{101, 1, 100}.words() == 51);
  CHECK(BagForm{100, 3, 74}.numbers() == 4 * 74);
  CHECK(BagForm{100, 3, 75}.numbers() == 300);
  CHECK(BagForm{100, 1, 0, true}.bags() == 100);
  CHECK(BagForm{100, 1, 0}.words() == 0);
  Index words[2] = {0, 0};
  put_number(words, 0, 3);
  put_number(words, 1, (Index{1} << 31) - 1);
  put_number(words, 2, 5);
  CHECK(number_at(words, 0) == 3);
  CHECK(number_at(words, 1) == (Index{1} << 31) - 1);
  CHECK(number_at(words, 2) == 5);
  CHECK(number_at(words, 3) == 0);
}

/// Returns the time that this thread has computed, which other programs disturb less than the time of day.
static double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

TEST_CASE("Requests: collect() times 2048 x 26 x 20 ids of one rank for 1 to 512 owners", "[.times]") {
  const Exec exec;
  constexpr Index features = 26, samples = 2048, ids = 20, rows = 1'000'000;
  std::vector<std::string> keys;
  for (Index f = 0; f < features; ++f) keys.push_back("f" + std::to_string(f));
  jagged::KeyedJaggedTensor sparse;
  sparse.keys = keys;
  sparse.stride = samples;
  sparse.values = make_vector<Index>(exec, "tesserec::test::ids", features * samples * ids);
  sparse.offsets = make_vector<Index>(exec, "tesserec::test::offsets", features * samples + 1);
  const Random random(7, Purpose::planted_samples);
  for (Index i = 0; i < features * samples * ids; ++i) sparse.values(i) = random.bits(i, 0) % rows;
  for (Index bag = 0; bag <= features * samples; ++bag) sparse.offsets(bag) = bag * ids;
  for (const int owners : {1, 2, 8, 64, 512}) {
    std::vector<int> ranks(owners);
    std::iota(ranks.begin(), ranks.end(), 0);
    std::vector<embedding::EmbeddingBagConfig> tables;
    planning::ShardingPlan plan;
    for (const std::string& key : keys) {
      tables.push_back({.name = key, .num_embeddings = rows, .embedding_dim = 16, .feature_names = {key}});
      plan.emplace_back().type = planning::ShardingType::row_wise;
      plan.back().shards = planning::cut(tables.back(), owners, 1, ranks);
    }
    const Routes routes(0, owners, tables, plan, keys);
    const BatchSplit split(Lanes(512), owners, samples * owners);
    Requests requests(routes);
    const Rounding none(NumberType::fp32, 1.0f);
    Messages messages(std::make_shared<BatchBuffers>(Place::host), none, none);
    std::vector<double> seconds;
    for (int repeat = 0; repeat < 9; ++repeat) {
      const double begin = thread_seconds();
      messages.clear(owners);
      requests.collect(exec, sparse, split, messages);
      seconds.push_back(thread_seconds() - begin);
    }
    WARN(owners << " owners: " << *std::min_element(seconds.begin(), seconds.end()) * 1e3 << " ms");
  }
}
