// SPDX-License-Identifier: Apache-2.0
// Edges of the metrics, computed by hand: numbers below 0, labels between 0 and 1, more candidates than one block.
#include <cmath>
#include <cstdio>

#include <unistd.h>

#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/metrics.hpp>

using namespace tesserec;

namespace {

metrics::BinaryMetrics of(const std::vector<double>& scores, const std::vector<float>& labels,
                          const std::vector<float>& weights = {}) {
  return metrics::binary_metrics(comm::Communicator::self(), scores, labels, weights, 0.5);
}

/// Returns the text that `run` writes to stderr.
template <class Run>
std::string stderr_of(const Run& run) {
  std::FILE* const file = std::tmpfile();
  REQUIRE(file != nullptr);
  std::fflush(stderr);
  const int before = ::dup(2);
  ::dup2(::fileno(file), 2);
  run();
  std::fflush(stderr);
  ::dup2(before, 2);
  ::close(before);
  std::rewind(file);
  std::string text(4096, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

}  // namespace

TEST_CASE("binary_metrics: warns with the number of weights so small that AUC counts them as 0") {
  const std::vector<double> p = {0.9, 0.2, 0.6};
  const std::vector<float> y = {1, 0, 0};
  CHECK(mentions(stderr_of([&] {
                   of(p, y, {1, 0x1p-33f, 1e-12f});
                 }),
                 "metrics: 2 samples have a weight of 2^-33 or less, which counts as 0 in AUC and AUPRC"));
  CHECK(stderr_of([&] { of(p, y, {1, 1.25e-10f, 0}); }).empty());
  CHECK(std::isnan(of(p, y, {1, 0x1p-33f, 0}).auc));
  CHECK(of(p, y, {1, 1.25e-10f, 0}).auc == 1);
}

TEST_CASE("binary_metrics: throws for scores and labels below 0") {
  CHECK(mentions(error_of([] { of({0.5, -0.25}, {0, 1}); }), "1 probabilities are not numbers in [0, 1]"));
  CHECK(mentions(error_of([] { of({0.5, 0.5, 0.5}, {-0.5f, 1, -1}); }), "2 labels are not numbers in [0, 1]"));
  CHECK(error_of([] { of({0, 1}, {0, 1}); }).empty());
}

TEST_CASE("binary_metrics: a label below 1 is a share of a click in sums and a click from 0.5 on") {
  const std::vector<double> p = {0.8, 0.3, 0.6};
  const std::vector<float> y = {0.25f, 1, 0.5f}, w = {1, 2, 4};
  for (const bool weighted : {false, true}) {
    double n = 0, loss = 0, rate = 0, scores = 0, squares = 0, distance = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const double k = weighted ? w[i] : 1;
      n += k, rate += k * y[i], scores += k * p[i];
      loss -= k * (y[i] * std::log(p[i]) + (1 - y[i]) * std::log(1 - p[i]));
      squares += k * (p[i] - y[i]) * (p[i] - y[i]), distance += k * std::abs(p[i] - y[i]);
    }
    rate /= n;
    const metrics::BinaryMetrics got = weighted ? of(p, y, w) : of(p, y);
    CHECK(got.log_loss == Approx(loss / n).epsilon(1e-12));
    CHECK(got.ctr == Approx(rate).epsilon(1e-12));
    CHECK(got.ne == Approx(-loss / n / (rate * std::log(rate) + (1 - rate) * std::log(1 - rate))).epsilon(1e-12));
    CHECK(got.calibration == Approx(scores / n / rate).epsilon(1e-12));
    CHECK(got.mse == Approx(squares / n).epsilon(1e-12));
    CHECK(got.mae == Approx(distance / n).epsilon(1e-12));
    // Clicks are the second and third sample; predicted are the first and third.
    CHECK(got.accuracy == Approx(weighted ? 4.0 / 7 : 1.0 / 3).epsilon(1e-12));
    CHECK(got.precision == Approx(weighted ? 4.0 / 5 : 1.0 / 2).epsilon(1e-12));
    CHECK(got.recall == Approx(weighted ? 4.0 / 6 : 1.0 / 2).epsilon(1e-12));
  }
}

TEST_CASE("candidate_recall: compares all candidates of several blocks") {
  constexpr Index items = 600;
  const comm::Communicator world(MPI_COMM_WORLD);
  metrics::TowerVectors towers{1, {}, {}};
  for (Index i = items * world.rank() / world.size(); i < items * (world.rank() + 1) / world.size(); ++i)
    towers.queries.push_back(1), towers.items.push_back(float(i));
  const std::vector<float> clicks(towers.items.size(), 1.0f);
  for (const Index k : {1, 100, 256, 300, 599})
    CHECK(metrics::candidate_recall(world, towers, clicks, k) == Approx(double(k) / items).epsilon(1e-12));
}
