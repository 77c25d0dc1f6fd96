// SPDX-License-Identifier: Apache-2.0
// Planted truth compared with its formula: each term of the logit, and the vectors of a pair.
#include <cmath>
#include <set>

#include "catch.hpp"
#include "samples_file.hpp"
#include <tesserec/core/random.hpp>

using namespace tesserec;

namespace {

constexpr std::uint64_t seed = 5;
constexpr Index samples = 3000;

data::Settings planted(const std::vector<Index>& rows, Index dense) {
  data::Settings settings;
  settings.synthetic.kind = data::SyntheticKind::planted;
  settings.synthetic.samples = settings.synthetic.evaluate_samples = samples;
  settings.synthetic.rows = rows;
  settings.synthetic.dense_features = dense;
  return settings;
}

std::vector<double> logits(const std::vector<double>& probabilities) {
  std::vector<double> z;
  for (const double p : probabilities) z.push_back(std::log(p / (1 - p)));
  return z;
}

data::PlantedTruth truth_of(const data::Settings& settings) {
  return data::planted_truth(comm::Communicator::self(), settings.synthetic, seed);
}

}  // namespace

TEST_CASE("planted_truth: a bag has the mean effect of its rows and an empty bag has none") {
  data::Settings settings = planted({1}, 0);
  settings.synthetic.ids_per_bag = 3;
  settings.synthetic.variable_bags = true;
  const std::vector<double> all = truth_of(settings).probabilities;
  const std::set<double> different(all.begin(), all.end());
  REQUIRE(different.size() == 2);
  // One of the four lengths is 0.
  const double low = double(std::count(all.begin(), all.end(), *different.begin())) / samples;
  CHECK(std::min(low, 1 - low) == Approx(0.25).margin(0.04));
}

TEST_CASE("planted_truth: weighs each dense column as drawn") {
  const data::Settings settings = planted({1}, 5);
  const std::vector<double> z = logits(truth_of(settings).probabilities);
  const auto source = data::make_source(settings, data::Use::evaluate, {0, 1, Lanes(1), samples, false, seed});
  data::Batch batch{Exec()};
  REQUIRE(source->next(batch));
  REQUIRE(batch.size == samples);
  const Random weights(seed, Purpose::planted_model, 0);
  std::vector<double> sums(samples, 0.0);
  for (Index b = 0; b < samples; ++b)
    for (Index j = 0; j < 5; ++j) sums[b] += weights.normal(j, 0) * double(batch.dense(b, j));
  Index far = 1;
  while (std::abs(sums[far] - sums[0]) < 1) ++far;
  const double scale = (z[far] - z[0]) / (sums[far] - sums[0]);
  CHECK(scale > 0);
  Index wrong = 0;
  for (Index b = 0; b < samples; ++b) wrong += std::abs(z[b] - z[0] - scale * (sums[b] - sums[0])) > 1e-9;
  CHECK(wrong == 0);
}

TEST_CASE("planted_truth: logits of a query's items differ as the products of their vectors do") {
  data::Settings settings = planted({20, 60}, 0);
  auto& s = settings.synthetic;
  s.pair = {"C1", "C2"};
  s.pair_strength = 4;
  s.pair_rank = 3;
  const data::PlantedTruth truth = truth_of(settings);
  const std::vector<double> z = logits(truth.probabilities);
  REQUIRE(std::ssize(truth.queries) == 4 * samples);
  std::vector<double> products(samples, 0.0);
  for (Index i = 0; i < samples; ++i)
    for (Index d = 0; d < 4; ++d) products[i] += double(truth.queries[4 * i + d]) * double(truth.items[4 * i + d]);
  double scale = 0;
  Index compared = 0, wrong = 0;
  for (Index i = 0; i < samples; ++i)
    for (Index j = i + 1; j < std::min(samples, i + 40); ++j) {
      if (!std::equal(&truth.queries[4 * i], &truth.queries[4 * i] + 4, &truth.queries[4 * j])) continue;
      const double apart = products[i] - products[j];
      if (std::abs(apart) < 0.1) continue;
      if (scale == 0) scale = (z[i] - z[j]) / apart;
      ++compared;
      wrong += std::abs(z[i] - z[j] - scale * apart) > 1e-5 * std::abs(scale * apart);
    }
  CHECK(compared > 1000);
  CHECK(scale > 0);
  CHECK(wrong == 0);
  // Longer vectors of the same pair: each number counts by 1 / sqrt(pair_rank); query vectors do not change.
  s.pair_rank = 12;
  const data::PlantedTruth longer = truth_of(settings);
  for (Index i = 0; i < samples; ++i) {
    REQUIRE(longer.queries[13 * i] == truth.queries[4 * i]);
    REQUIRE(longer.items[13 * i] == Approx(truth.items[4 * i] / 2).epsilon(1e-6));
    REQUIRE(longer.items[13 * i + 12] == truth.items[4 * i + 3]);  // the item's effect
  }
}
