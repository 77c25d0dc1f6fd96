// SPDX-License-Identifier: Apache-2.0
// The histogram of scores: the contents of each bin, and the same bits on any number of ranks.
#include <cmath>
#include <numeric>

#include "catch.hpp"
#include <tesserec/metrics/binary.hpp>

using namespace tesserec;

TEST_CASE("score_bins: a score lies in the bin that begins at or below it and 1 in the last") {
  const comm::Communicator self(MPI_COMM_SELF);
  const std::vector<double> scores = {0, 0.009, 0.25, 0.2599, 0.99, 1};
  const std::vector<float> labels = {0, 1, 0.5f, 0.49f, 1, 0};
  const metrics::ScoreBins bins = metrics::score_bins(self, scores, labels);
  REQUIRE(bins.samples.size() == 100);
  REQUIRE(bins.clicks.size() == 100);
  for (const auto& [bin, samples, clicks, sum] :
       {std::tuple{0, 2, 1, 0.009}, {25, 2, 1, 0.5099}, {99, 2, 1, 1.99}, {50, 0, 0, 0.0}}) {
    INFO(bin);
    CHECK(bins.samples[bin] == samples);
    CHECK(bins.clicks[bin] == clicks);
    CHECK(std::abs(bins.scores[bin] - sum) < 1e-15);
  }
  CHECK(std::accumulate(bins.samples.begin(), bins.samples.end(), Index{0}) == 6);
}

TEST_CASE("binary_metrics: bins have the samples of all ranks to the bit") {
  const comm::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  std::vector<double> all, mine;
  std::vector<float> all_labels, labels;
  for (int i = 0; i < 5000; ++i) {
    const double score = std::fmod(0.6180339887498949 * i, 1.0);
    all.push_back(score);
    all_labels.push_back(i % 3 == 0);
    if (i * i % (world.size() + 1) % world.size() != world.rank()) continue;
    mine.push_back(score);
    labels.push_back(all_labels.back());
  }
  REQUIRE(world.sum(std::ssize(mine)) == 5000);
  const metrics::ScoreBins want = metrics::binary_metrics(self, all, all_labels, {}, 0.5).bins,
                           found = metrics::binary_metrics(world, mine, labels, {}, 0.5).bins;
  REQUIRE(found.samples == want.samples);
  REQUIRE(found.clicks == want.clicks);
  REQUIRE(found.scores == want.scores);
  REQUIRE(want.samples[61] > 40);
}
