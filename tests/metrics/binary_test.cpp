// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>

#include "catch.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/lanes.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/metrics/names.hpp>

using namespace tesserec;
using metrics::binary_metrics;
using metrics::BinaryMetrics;

namespace {

struct Samples {
  std::vector<double> probabilities;
  std::vector<float> labels;
  std::vector<float> weights = {};
};

// Returns n samples with `levels` distinct scores and many ties, or, if `levels` is 0, with distinct scores.
Samples make_samples(Index n, int levels, bool weighted = false) {
  const Random random(5, Purpose::test, static_cast<std::uint64_t>(levels));
  Samples samples;
  for (Index i = 0; i < n; ++i) {
    double p = random.uniform53(i, 0);
    if (levels > 0) p = std::floor(p * levels) / levels;
    samples.probabilities.push_back(p);
    samples.labels.push_back(random.uniform53(i, 1) < 0.2 + 0.6 * p ? 1.0f : 0.0f);
    if (weighted) samples.weights.push_back(4.0f * float(random.uniform53(i, 2)));
  }
  return samples;
}

BinaryMetrics metrics_of(const comm::Communicator& comm, const Samples& samples, Range range) {
  return binary_metrics(
      comm, std::span<const double>(samples.probabilities).subspan(range.begin, range.size()),
      std::span<const float>(samples.labels).subspan(range.begin, range.size()),
      std::span<const float>(samples.weights)
          .subspan(samples.weights.empty() ? 0 : range.begin, samples.weights.empty() ? 0 : range.size()));
}

bool same_bits(const BinaryMetrics& a, const BinaryMetrics& b) {
  const auto bits = [](const BinaryMetrics& of) {
    std::vector<std::uint64_t> all = {std::uint64_t(of.samples)};
    for (const auto& metric : metrics::chosen(of, metrics::names()))
      all.push_back(std::bit_cast<std::uint64_t>(metric.second));
    return all;
  };
  return bits(a) == bits(b);
}

}  // namespace

TEST_CASE("binary_metrics: AUC is the share of pairs in the right order with ties as half") {
  const comm::Communicator alone(MPI_COMM_SELF);
  const Samples samples = make_samples(1500, 40);
  double pairs = 0, right = 0;
  for (std::size_t i = 0; i < samples.labels.size(); ++i)
    for (std::size_t j = 0; j < samples.labels.size(); ++j) {
      if (samples.labels[i] != 1 || samples.labels[j] != 0) continue;
      ++pairs;
      right += samples.probabilities[i] > samples.probabilities[j];
      right += 0.5 * (samples.probabilities[i] == samples.probabilities[j]);
    }
  REQUIRE(metrics_of(alone, samples, {0, 1500}).auc == right / pairs);
}

TEST_CASE("binary_metrics: AUPRC steps from score to score with ties together") {
  const comm::Communicator alone(MPI_COMM_SELF);
  const Samples few{{0.9, 0.8, 0.8, 0.8, 0.3}, {1, 0, 1, 1, 0}};
  REQUIRE(metrics_of(alone, few, {0, 5}).auprc == Approx(1.0 / 3 * 1 + 2.0 / 3 * 3 / 4).epsilon(1e-15));
  REQUIRE(metrics_of(alone, {{0.2, 0.7}, {1, 0}}, {0, 2}).auprc == 0.5);
}

TEST_CASE("binary_metrics: metrics of sums follow their definitions") {
  const comm::Communicator alone(MPI_COMM_SELF);
  const Samples few{{0.9, 0.2, 0.5, 0.4}, {1, 0, 0, 1}};
  const BinaryMetrics got = metrics_of(alone, few, {0, 4});
  const double loss = -(std::log(0.9) + std::log(0.8) + std::log(0.5) + std::log(0.4)) / 4;
  REQUIRE(got.samples == 4);
  REQUIRE(got.log_loss == Approx(loss).epsilon(1e-15));
  REQUIRE(got.ne == Approx(loss / std::log(2.0)).epsilon(1e-15));
  REQUIRE(got.calibration == Approx(1.0).epsilon(1e-15));
  REQUIRE(got.accuracy == 0.5);
  REQUIRE(got.ctr == 0.5);
  REQUIRE(got.mse == Approx((0.01 + 0.04 + 0.25 + 0.36) / 4).epsilon(1e-15));
  REQUIRE(got.rmse == Approx(std::sqrt(got.mse)).epsilon(1e-15));
  REQUIRE(got.mae == Approx((0.1 + 0.2 + 0.5 + 0.6) / 4).epsilon(1e-15));
  REQUIRE(got.auc == 0.75);
}

TEST_CASE("binary_metrics: a score at or above the threshold predicts a click") {
  const comm::Communicator alone(MPI_COMM_SELF);
  const Samples few{{0.9, 0.6, 0.5, 0.4, 0.2}, {1, 0, 1, 1, 0}};
  const auto at = [&](double threshold) { return binary_metrics(alone, few.probabilities, few.labels, {}, threshold); };
  REQUIRE(at(0.5).precision == Approx(2.0 / 3));
  REQUIRE(at(0.5).recall == Approx(2.0 / 3));
  REQUIRE(at(0.5).f1 == Approx(2.0 / 3));
  REQUIRE(at(0.3).recall == 1.0);
  REQUIRE(at(0.3).precision == 0.75);
  REQUIRE(at(0.3).f1 == Approx(6.0 / 7));
  REQUIRE(at(0.3).accuracy == 0.8);
  REQUIRE(at(0.95).precision == 0.0);  // nothing is predicted
  REQUIRE(at(0.95).f1 == 0.0);
}

TEST_CASE("binary_metrics: a sample of weight k counts as k samples and one of weight 0 as none") {
  const comm::Communicator alone(MPI_COMM_SELF);
  Samples weighted = make_samples(2000, 50), repeated;
  for (std::size_t i = 0; i < 2000; ++i) {
    const std::size_t k = i * i % 7 % 4;
    weighted.weights.push_back(float(k));
    repeated.probabilities.insert(repeated.probabilities.end(), k, weighted.probabilities[i]);
    repeated.labels.insert(repeated.labels.end(), k, weighted.labels[i]);
  }
  const auto values = [](const BinaryMetrics& metrics) { return metrics::chosen(metrics, metrics::names()); };
  const BinaryMetrics got = metrics_of(alone, weighted, {0, 2000});
  const BinaryMetrics want = metrics_of(alone, repeated, {0, std::ssize(repeated.labels)});
  REQUIRE(got.samples == 2000);
  const auto all = values(got), expected = values(want);
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO(all[i].first);
    if (!std::isnan(expected[i].second)) CHECK(all[i].second == Approx(expected[i].second).epsilon(1e-14));
  }
  REQUIRE((got.auc == want.auc && got.accuracy == want.accuracy && got.f1 == want.f1));
  weighted.weights.assign(2000, 0.0f);
  const BinaryMetrics none = metrics_of(alone, weighted, {0, 2000});
  REQUIRE((std::isnan(none.auc) && std::isnan(none.auprc) && std::isnan(none.log_loss) && std::isnan(none.recall)));
}

TEST_CASE("SampleSums: subtracting the samples that leave a window restores the bits") {
  const Samples samples = make_samples(900, 0);
  const auto sums_of = [&](Index begin, Index end) {
    metrics::SampleSums sums;
    sums.add(std::span<const double>(samples.probabilities).subspan(begin, end - begin),
             std::span<const float>(samples.labels).subspan(begin, end - begin), {}, 0.5);
    return sums;
  };
  metrics::SampleSums window = sums_of(0, 300);
  window += sums_of(300, 900);
  window -= sums_of(0, 300);
  REQUIRE(same_bits({window.metrics(), {}, {}}, {sums_of(300, 900).metrics(), {}, {}}));
  REQUIRE(window.metrics().samples == 600);
}

TEST_CASE("binary_metrics: a certain probability has a finite loss and a label of 0.5 is a click") {
  const comm::Communicator alone(MPI_COMM_SELF);
  const BinaryMetrics wrong = metrics_of(alone, {{0.0, 1.0}, {1, 0}}, {0, 2});
  REQUIRE(wrong.log_loss == Approx(-std::log(1e-12)).epsilon(1e-4));  // 1 - (1 - 1e-12) is not 1e-12
  REQUIRE(wrong.accuracy == 0.0);
  const BinaryMetrics half = metrics_of(alone, {{0.9, 0.4}, {0.5f, 0.25f}}, {0, 2});
  REQUIRE(half.auc == 1.0);
  REQUIRE(half.accuracy == 1.0);
}

TEST_CASE("binary_metrics: no split of the samples over ranks changes a bit") {
  const comm::Communicator alone(MPI_COMM_SELF), world(MPI_COMM_WORLD);
  const Index rank = world.rank(), size = world.size();
  for (const auto& [levels, weighted] :
       {std::pair(0, false), {1, false}, {7, false}, {1000, false}, {0, true}, {7, true}}) {
    constexpr Index n = 20001;
    const Samples samples = make_samples(n, levels, weighted);
    const BinaryMetrics want = metrics_of(alone, samples, {0, n});
    const Index square = size * size;
    const std::vector<Range> splits = {
        {n * rank / size, n * (rank + 1) / size},                             // even
        {n * rank * rank / square, n * (rank + 1) * (rank + 1) / square},     // uneven
        {rank == size - 1 ? 0 : n, n},                                        // all but one rank are empty
        {rank == 0 ? 0 : n - 1, rank == 0 ? n - 1 : (rank == 1 ? n : n - 1)}  // one sample on rank 1
    };
    for (std::size_t i = 0; i < splits.size(); ++i) {
      if (i == 3 && size == 1) continue;
      INFO("levels " << levels << ", weighted " << weighted << ", split " << i);
      REQUIRE(same_bits(metrics_of(world, samples, splits[i]), want));
    }
  }
}

TEST_CASE("binary_metrics: the order of samples and the sign of zero change no bit") {
  const comm::Communicator world(MPI_COMM_WORLD);
  Samples samples = make_samples(5000, 100, true), turned = samples;
  std::reverse(turned.weights.begin(), turned.weights.end());
  std::reverse(turned.probabilities.begin(), turned.probabilities.end());
  std::reverse(turned.labels.begin(), turned.labels.end());
  for (double& p : turned.probabilities)
    if (p == 0) p = -0.0;
  REQUIRE(same_bits(metrics_of(world, samples, {0, 5000}), metrics_of(world, turned, {0, 5000})));
}

TEST_CASE("binary_metrics: undefined metrics are NaN and wrong scores or labels or weights throw") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Samples clicks{{0.25, 0.75}, {1, 1}}, others{{0.25, 0.75}, {0, 0}};
  BinaryMetrics got = metrics_of(world, clicks, {0, 2});
  REQUIRE((std::isnan(got.auc) && std::isnan(got.ne)));
  REQUIRE(got.calibration == 0.5);
  got = metrics_of(world, others, {0, 2});
  REQUIRE((std::isnan(got.auc) && std::isnan(got.ne) && std::isnan(got.calibration)));
  REQUIRE(got.accuracy == 0.5);
  REQUIRE((std::isnan(got.auprc) && got.recall == 0));
  got = metrics_of(world, others, {0, 0});
  REQUIRE(got.samples == 0);
  REQUIRE((std::isnan(got.auc) && std::isnan(got.log_loss) && std::isnan(got.f1)));
  // A NaN on one rank is an error on every rank.
  const double last = world.rank() == world.size() - 1 ? std::nan("") : 0.5;
  REQUIRE_THROWS_AS(metrics_of(world, Samples{{0.5, last}, {0, 1}}, {0, 2}), Error);
  REQUIRE_THROWS_AS(metrics_of(world, Samples{{0.5, 1.5}, {0, 1}}, {0, 2}), Error);
  REQUIRE_THROWS_AS(metrics_of(world, Samples{{0.5}, {2}}, {0, 1}), Error);
  for (const float weight : {-1.0f, NAN, 2e9f})
    REQUIRE_THROWS_AS(metrics_of(world, Samples{{0.5}, {1}, {weight}}, {0, 1}), Error);
}
