// SPDX-License-Identifier: Apache-2.0
// SequentialSource: a seek draws no batch twice that lies behind, and gives the same samples from anywhere.
#include "src/data/sequential_source.hpp"

#include <vector>

#include "catch.hpp"

using namespace tesserec;

TEST_CASE("SequentialSource: going on to a later batch draws on, going back draws again") {
  constexpr Index samples = 70, batch_size = 8;
  const std::vector<std::string> features{"a"};
  Index drawn = 0, restarts = 0;
  data::SourceInfo info;
  info.samples = samples;
  info.dense_features = 1;
  info.features = features;
  const auto restart = [&] {
    ++restarts;
    return [&, next = Index{0}](std::span<const Index> numbers, Index global_size, data::Batch& batch) mutable {
      ++drawn;
      data::reserve_batch(batch, std::ssize(numbers), global_size, 1, features);
      data::reserve_values(batch, std::ssize(numbers), false);
      batch.sparse.offsets(0) = 0;
      for (std::size_t b = 0; b < numbers.size(); ++b) {
        CHECK(numbers[b] == next++);  // a generator knows the next sample alone
        batch.dense(b, 0) = 1.0f;
        batch.labels(b) = 0.0f;
        batch.sparse.values(b) = 100 + numbers[b];
        batch.sparse.offsets(b + 1) = Index(b + 1);
      }
    };
  };
  data::SequentialSource source(info, {.batch_size = batch_size}, restart);
  data::Batch batch{Exec()};
  const auto first_at = [&](Index epoch, Index number) {
    source.seek(epoch, number);
    REQUIRE(source.next(batch));
    return batch.sparse.values(0) - 100;
  };
  CHECK(first_at(0, 0) == 0);
  CHECK(first_at(0, 0) == 0);  // it is still there
  CHECK(drawn == 1);
  CHECK(first_at(0, 4) == 32);
  CHECK(first_at(0, 4) == 32);
  CHECK(first_at(0, 8) == 64);
  CHECK(drawn == 9);
  CHECK(restarts == 1);
  CHECK(first_at(0, 7) == 56);
  CHECK(restarts == 2);
  CHECK(drawn == 9 + 8);
  CHECK(first_at(1, 0) == 0);
  CHECK(restarts == 3);
}
