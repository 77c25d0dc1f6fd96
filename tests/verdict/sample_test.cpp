// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "catch.hpp"
#include <tesserec/core/random.hpp>
#include <tesserec/verdict/facts.hpp>
#include <tesserec/verdict/judge.hpp>

using namespace tesserec;
using namespace tesserec::verdict;

namespace {

/// Row number i of a made-up stream: two numbers, a bag and a category, each row `copies` times.
struct MadeRow {
  std::vector<float> dense;
  std::vector<Index> ids;
  std::vector<std::size_t> bag_ends;
  bool positive = false;

  explicit MadeRow(Index i, Index copies = 1) {
    const Random random(7, Purpose::test);
    const Index number = i / copies;
    dense = {float(random.uniform53(number, 0)), float(number % 3)};
    for (Index v = 0; v < number % 3; ++v) ids.push_back(Index(random.below(50, number, 10 + v)));
    bag_ends = {ids.size(), ids.size() + 1};
    ids.push_back(number % 7);
    positive = random.uniform53(i, 1) < 0.3;
  }
  RowValues values() const { return {dense, ids, bag_ends}; }
};

/// Returns the sample of the first `rows` rows, dealt to the ranks in turn.
RowSample sample_of(const comm::Communicator& comm, Index rows, Index copies = 1) {
  RowSample sample(2, 2);
  for (Index i = comm.rank(); i < rows; i += comm.size()) {
    const MadeRow row(i, copies);
    sample.add(row.positive, row.values());
  }
  sample.gather(comm);
  return sample;
}

SampledRow sampled(std::uint64_t digest, float number, Index id, bool positive) {
  return {.digest = digest,
          .labels = {positive ? 0 : 1, positive ? 1 : 0},
          .dense = {number},
          .ids = {id},
          .bag_ends = {1}};
}

}  // namespace

TEST_CASE("RowSample: holds the first ids of long bags, and tells rows apart by all") {
  const comm::Communicator self(MPI_COMM_SELF);
  RowSample sample(0, 2);
  std::vector<Index> ids(20001);
  const std::vector<std::size_t> ends = {20000, 20001};
  for (Index last : {3, 4}) {
    ids[19999] = last;
    ids[20000] = 7;
    sample.add(true, {{}, ids, ends});
  }
  sample.gather(self);
  REQUIRE(sample.rows().size() == 2);
  for (const SampledRow& row : sample.rows()) {
    CHECK(row.ids.size() < 1000);
    CHECK(row.bag_ends == std::vector<Index>{std::ssize(row.ids) - 1, std::ssize(row.ids)});
    CHECK(row.ids.back() == 7);
  }
}

TEST_CASE("RowSample: holds the same distinct rows with all their copies however rows are dealt to ranks") {
  const comm::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  for (const auto& [rows, copies] :
       std::vector<std::pair<Index, Index>>{{0, 1}, {1, 3}, {1000, 3}, {120000, 3}, {40000, 1}}) {
    const RowSample alone = sample_of(self, rows, copies), shared = sample_of(world, rows, copies);
    REQUIRE(alone.limit() == shared.limit());
    REQUIRE(alone.rows().size() == shared.rows().size());
    REQUIRE(alone.rows().size() == std::min(std::size_t((rows + copies - 1) / copies), std::size_t{1} << 14));
    Index counted = 0;
    for (std::size_t r = 0; r < alone.rows().size(); ++r) {
      const SampledRow &a = alone.rows()[r], &b = shared.rows()[r];
      REQUIRE(a.digest == b.digest);
      REQUIRE(a.labels == b.labels);
      REQUIRE(a.dense == b.dense);
      REQUIRE(a.ids == b.ids);
      REQUIRE(a.bag_ends == b.bag_ends);
      counted += a.count();
    }
    if (rows % copies == 0) REQUIRE(counted == copies * std::ssize(alone.rows()));
  }
}

TEST_CASE("RowSample: tells rows with other bags and equal ids apart") {
  const comm::Communicator comm(MPI_COMM_SELF);
  RowSample sample(0, 2);
  const std::vector<Index> ids = {1, 2, 3};
  const std::vector<std::size_t> first = {1, 3}, second = {2, 3};
  sample.add(true, {{}, ids, first});
  sample.add(true, {{}, ids, second});
  sample.gather(comm);
  REQUIRE(sample.rows().size() == 2);
}

TEST_CASE("RowFacts: ranges of values and labels of files over all ranks") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  RowFacts rows(2, 2, 2);
  Index positives = 0;
  for (Index i = 0; i < 600; ++i) {
    const MadeRow row(i);
    positives += row.positive && i % 2 == 1;
    if (i % comm.size() == comm.rank()) rows.add(i % 2, row.positive, row.values());
  }
  SetFacts facts{.name = "train"};
  facts.files = {{.path = "a"}, {.path = "b"}};
  rows.gather(comm, facts);
  REQUIRE(facts.files[1].positives == positives);
  REQUIRE(facts.ranges[1].low == 0);
  REQUIRE(facts.ranges[1].high == 2);
  REQUIRE(facts.ranges[2].low >= 0);  // an empty bag has no id
  REQUIRE(facts.ranges[2].shortest_bag == 0);
  REQUIRE(facts.ranges[2].longest_bag == 2);
  REQUIRE(facts.ranges[3].low == 0);
  REQUIRE(facts.ranges[3].high == 6);
  REQUIRE_FALSE(facts.ranges[3].constant());
  REQUIRE(facts.rows.size() == 600);

  // One row, so that most ranks have none.
  RowFacts one(2, 2, 1);
  const MadeRow row(1);
  if (comm.rank() == 0) one.add(0, row.positive, row.values());
  SetFacts constant{.name = "train"};
  constant.files = {{.path = "a"}};
  one.gather(comm, constant);
  for (const ValueRange& range : constant.ranges) REQUIRE(range.constant());
  REQUIRE(constant.ranges[1].high == 1);
}

TEST_CASE("RowSample: packed rows count and widen as the same rows one by one") {
  const comm::Communicator self(MPI_COMM_SELF);
  const Random random(8, Purpose::test);
  constexpr std::size_t columns = 5, features = 9;
  constexpr Index rows = 40;
  std::vector<float> dense;
  std::vector<std::int32_t> ids;
  std::vector<std::uint8_t> positive;
  std::vector<ValueRange> one(columns + features), packed(columns + features);
  RowSample by_one(columns, features), by_all(columns, features);
  for (Index i = 0; i < rows; ++i) {
    const Index kind = i % 30;  // 10 rows repeat
    for (std::size_t k = 0; k < columns; ++k) dense.push_back(float(random.below(90, kind, Index(k))) - 20.5f);
    for (std::size_t f = 0; f < features; ++f) ids.push_back(std::int32_t(random.below(70, kind, 50 + Index(f))) - 2);
    positive.push_back(std::uint8_t(i % 3 == 0));
    const std::vector<Index> wide(ids.end() - features, ids.end());
    std::vector<std::size_t> ends;
    for (std::size_t f = 1; f <= features; ++f) ends.push_back(f);
    const RowValues row{{dense.data() + dense.size() - columns, columns}, wide, ends};
    by_one.add(positive.back() != 0, row);
    widen(one, row);
  }
  for (const Index half : {0, 1}) {  // two blocks
    const PackedRows block{rows / 2,
                           columns,
                           features,
                           dense.data() + half * rows / 2 * Index(columns),
                           ids.data() + half * rows / 2 * Index(features),
                           positive.data() + half * rows / 2};
    by_all.add(block);
    widen(packed, block);
    widen(packed, PackedRows{0, columns, features});
  }
  by_one.gather(self);
  by_all.gather(self);
  REQUIRE(by_all.rows().size() == 30);
  for (std::size_t i = 0; i < 30; ++i) {
    CHECK(by_all.rows()[i].digest == by_one.rows()[i].digest);
    CHECK(by_all.rows()[i].labels == by_one.rows()[i].labels);
    CHECK(by_all.rows()[i].ids == by_one.rows()[i].ids);
  }
  for (std::size_t c = 0; c < columns + features; ++c) {
    CHECK(packed[c].low == one[c].low);
    CHECK(packed[c].high == one[c].high);
    CHECK(packed[c].shortest_bag == one[c].shortest_bag);
    CHECK(packed[c].longest_bag == one[c].longest_bag);
  }
}

TEST_CASE("lone_auc: a column that tells the label has an AUC near 1, others have one near 0.5") {
  const Random random(3, Purpose::test);
  std::vector<SampledRow> leaks, opposite, noise, unique, few;
  for (Index i = 0; i < 4000; ++i) {
    const bool label = random.uniform53(i, 0) < 0.3;
    const auto digest = std::uint64_t(random.below(std::uint64_t{1} << 40, i, 1));
    const float value = float(random.uniform53(i, 2));
    leaks.push_back(sampled(digest, label ? 1 + value : value, label ? 1 + Index(10 * value) : 20, label));
    opposite.push_back(sampled(digest, label ? -value : 1 - value, 0, label));
    noise.push_back(sampled(digest, value, Index(10 * value), label));
    unique.push_back(sampled(digest, value, i, label));
    if (i < 30) few.push_back(leaks.back());
  }
  REQUIRE(lone_auc(leaks, 1, 0) == 1.0);
  REQUIRE(lone_auc(leaks, 1, 1) > 0.999);
  REQUIRE(lone_auc(opposite, 1, 0) == 1.0);
  REQUIRE(std::abs(lone_auc(noise, 1, 0) - 0.5) < 0.04);
  REQUIRE(std::abs(lone_auc(noise, 1, 1) - 0.5) < 0.06);
  REQUIRE(lone_auc(unique, 1, 1) == 0.5);
  REQUIRE(lone_auc(few, 1, 0) == 0.5);
  REQUIRE(lone_auc({}, 1, 0) == 0.5);

  // 3 of 4 ordered pairs, with copies: by hand 0.75.
  std::vector<SampledRow> counted = {sampled(1, 0, 0, false), sampled(2, 1, 0, true), sampled(3, 2, 0, false),
                                     sampled(4, 3, 0, true)};
  for (SampledRow& row : counted)
    for (Index& n : row.labels) n *= 20;
  REQUIRE(lone_auc(counted, 1, 0) == 0.75);
  for (SampledRow& row : counted) row.dense[0] = -row.dense[0];
  REQUIRE(lone_auc(counted, 1, 0) == 0.75);
}
