// SPDX-License-Identifier: Apache-2.0
// GAUC, NDCG and recall@k computed by hand, with the same bits for any distribution of a group's samples.
#include <algorithm>
#include <bit>
#include <cmath>

#include "catch.hpp"
#include <tesserec/core/lanes.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/metrics/groups.hpp>

using namespace tesserec;
using metrics::GroupMetrics;
using metrics::GroupWeight;

namespace {

struct Samples {
  std::vector<Index> groups;
  std::vector<double> probabilities;
  std::vector<float> labels;
};

GroupMetrics metrics_of(const comm::Communicator& comm, const Samples& samples, Range range, Index k,
                        GroupWeight weight = GroupWeight::samples) {
  return metrics::group_metrics(comm, std::span<const Index>(samples.groups).subspan(range.begin, range.size()),
                                std::span<const double>(samples.probabilities).subspan(range.begin, range.size()),
                                std::span<const float>(samples.labels).subspan(range.begin, range.size()), k, weight);
}

GroupMetrics of_all(const Samples& samples, Index k, GroupWeight weight = GroupWeight::samples) {
  return metrics_of(comm::Communicator::self(), samples, {0, std::ssize(samples.groups)}, k, weight);
}

bool same_bits(const GroupMetrics& a, const GroupMetrics& b) {
  const auto same = [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  };
  return same(a.gauc, b.gauc) && same(a.ndcg, b.ndcg) && same(a.recall_at_k, b.recall_at_k);
}

Samples make_samples(Index n, Index groups, int levels) {
  const Random random(6, Purpose::test, static_cast<std::uint64_t>(levels));
  Samples samples;
  for (Index i = 0; i < n; ++i) {
    samples.groups.push_back(Index(double(groups) * random.uniform53(i, 0) * random.uniform53(i, 1)) * 1000003);
    const double p = std::floor(random.uniform53(i, 2) * levels) / levels;
    samples.probabilities.push_back(p);
    samples.labels.push_back(random.uniform53(i, 3) < 0.1 + 0.3 * p ? float(1 + i % 4) / 4 : 0.0f);
  }
  return samples;
}

}  // namespace

TEST_CASE("group_metrics: GAUC is the mean of the groups' AUC by samples or with equal weight") {
  //                     group 7: AUC 1/2 + 1/4    group 8: AUC 0  only clicks
  const Samples samples{{7, 7, 7, 7, 8, 8, 9, 9}, {0.9, 0.5, 0.5, 0.1, 0.2, 0.8, 0.1, 0.3}, {1, 1, 0, 0, 1, 0, 1, 1}};
  const double seven = 3.5 / 4;
  REQUIRE(of_all(samples, 1).gauc == Approx(4 * seven / 6).epsilon(1e-15));
  REQUIRE(of_all(samples, 1, GroupWeight::equal).gauc == Approx(seven / 2).epsilon(1e-15));
}

TEST_CASE("group_metrics: recall@k is a mean over groups with a click and ties share the places") {
  // Group 1: one of two clicks is found. Group 2: three samples tie for one place, one of them a click.
  const Samples samples{{1, 1, 1, 2, 2, 2, 3}, {0.9, 0.8, 0.7, 0.4, 0.4, 0.4, 0.5}, {1, 0, 1, 1, 0, 0, 0}};
  REQUIRE(of_all(samples, 1).recall_at_k == Approx((1.0 / 2 + 1.0 / 3) / 2).epsilon(1e-15));
  REQUIRE(of_all(samples, 2).recall_at_k == Approx((1.0 / 2 + 2.0 / 3) / 2).epsilon(1e-15));
  REQUIRE(of_all(samples, 3).recall_at_k == 1.0);
  REQUIRE(of_all(samples, Index{1} << 60).recall_at_k == 1.0);
}

TEST_CASE("group_metrics: NDCG has labels as gains and divides by the ideal order") {
  const double second = 1 / std::log2(3.0);
  const Samples samples{{1, 1, 1, 2, 2}, {0.9, 0.8, 0.7, 0.4, 0.4}, {0.25, 0, 1, 1, 0}};
  const double first_ndcg = (0.25 + 1 / std::log2(4.0)) / (1 + 0.25 * second), second_ndcg = (1 + second) / 2;
  REQUIRE(of_all(samples, 3).ndcg == Approx((first_ndcg + second_ndcg) / 2).epsilon(1e-15));
  REQUIRE(of_all(samples, 1).ndcg == Approx((0.25 + 0.5) / 2).epsilon(1e-15));
}

TEST_CASE("group_metrics: are NaN without samples or clicks") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Samples none{{1, 1, 2}, {0.5, 0.5, 0.1}, {0, 0, 0}};
  for (const Range range : {Range{0, 3}, Range{0, 0}}) {
    const GroupMetrics got = metrics_of(world, none, range, 10);
    REQUIRE((std::isnan(got.gauc) && std::isnan(got.ndcg) && std::isnan(got.recall_at_k)));
  }
}

TEST_CASE("group_metrics: no split of groups over ranks and no order of samples changes a bit") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Index rank = world.rank(), size = world.size(), square = size * size;
  constexpr Index n = 5001;
  for (const int levels : {1, 5, 100000}) {
    Samples samples = make_samples(n, 300, levels);
    const GroupMetrics want = of_all(samples, 3);
    REQUIRE_FALSE((std::isnan(want.gauc) || std::isnan(want.ndcg) || std::isnan(want.recall_at_k)));
    const Range splits[] = {{n * rank / size, n * (rank + 1) / size},
                            {n * rank * rank / square, n * (rank + 1) * (rank + 1) / square},
                            {rank == size - 1 ? 0 : n, n}};
    for (const Range& range : splits) REQUIRE(same_bits(metrics_of(world, samples, range, 3), want));
    std::reverse(samples.groups.begin(), samples.groups.end());
    std::reverse(samples.probabilities.begin(), samples.probabilities.end());
    std::reverse(samples.labels.begin(), samples.labels.end());
    REQUIRE(same_bits(metrics_of(world, samples, splits[0], 3), want));
  }
}
