// SPDX-License-Identifier: Apache-2.0
// candidate_recall() against its definition, over ranks.
#include <cmath>

#include "catch.hpp"
#include <tesserec/core/random.hpp>
#include <tesserec/metrics.hpp>

using namespace tesserec;
using metrics::TowerVectors;

namespace {

constexpr Index samples = 700, dim = 5, items = 300;

/// Returns vectors of few values, so that products tie; items repeat.
TowerVectors towers(Range range, std::vector<float>& labels) {
  const Random random(3, Purpose::test);
  TowerVectors result{dim, {}, {}};
  labels.clear();
  for (Index s = range.begin; s < range.end; ++s) {
    labels.push_back(random.below(3, s, 0) == 0 ? 1.0f : 0.25f);
    const auto item = Index(random.below(items, s, 1));
    for (Index d = 0; d < dim; ++d) {
      result.queries.push_back(float(random.below(5, s, 2 + d)) - 2.0f);
      result.items.push_back(float(random.below(4, 10000 + item, d)) - 1.5f);
    }
  }
  return result;
}

/// Returns the recall by its definition: every pair of a click and a different clicked vector.
double expected(const TowerVectors& all, const std::vector<float>& labels, Index k) {
  const auto item = [&](Index s) {
    return std::vector<float>(all.items.begin() + s * dim, all.items.begin() + (s + 1) * dim);
  };
  std::vector<std::vector<float>> candidates;
  for (Index s = 0; s < samples; ++s)
    if (labels[s] >= 0.5f && std::find(candidates.begin(), candidates.end(), item(s)) == candidates.end())
      candidates.push_back(item(s));
  double sum = 0, clicks = 0;
  for (Index s = 0; s < samples; ++s) {
    if (labels[s] < 0.5f) continue;
    const auto score = [&](const std::vector<float>& vector) {
      double product = 0;
      for (Index d = 0; d < dim; ++d) product += all.queries[s * dim + d] * vector[d];
      return product;
    };
    double higher = 0, equal = 0;
    for (const auto& candidate : candidates) {
      higher += score(candidate) > score(item(s));
      equal += score(candidate) == score(item(s));
    }
    sum += std::min(1.0, std::max(0.0, (double(k) - higher) / equal));
    ++clicks;
  }
  return sum / clicks;
}

}  // namespace

TEST_CASE("candidate_recall: agrees with its definition on any number of ranks") {
  const comm::Communicator world(MPI_COMM_WORLD);
  std::vector<float> labels, mine;
  const TowerVectors all = towers({0, samples}, labels);
  const TowerVectors own =
      towers({samples * world.rank() / world.size(), samples * (world.rank() + 1) / world.size()}, mine);
  for (const Index k : {1, 7, 40, 100000}) {
    INFO("k = " << k);
    const double want = expected(all, labels, k);
    REQUIRE(want > (k == 1 ? 0.001 : 0.02));
    CHECK(metrics::candidate_recall(world, own, mine, k) == Approx(want).epsilon(1e-12));
    CHECK(metrics::candidate_recall(world, own, mine, k) ==
          metrics::candidate_recall(comm::Communicator(MPI_COMM_SELF), all, labels, k));
  }
  CHECK(metrics::candidate_recall(world, own, mine, 100000) == 1.0);
  std::fill(mine.begin(), mine.end(), 0.0f);
  CHECK(std::isnan(metrics::candidate_recall(world, own, mine, 7)));
}

TEST_CASE("candidate_recall: a query whose products are NaN finds nothing") {
  const comm::Communicator self(MPI_COMM_SELF);
  const TowerVectors broken{1, {NAN, 1.0f}, {1.0f, 2.0f}};
  CHECK(metrics::candidate_recall(self, broken, std::vector<float>{1.0f, 1.0f}, 1) == 0.5);
}
