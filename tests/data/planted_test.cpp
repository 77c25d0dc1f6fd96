// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "catch.hpp"
#include "errors.hpp"
#include "samples_file.hpp"

using namespace tesserec;
using data::Use;

namespace {

data::Settings planted() {
  data::Settings settings;
  auto& s = settings.synthetic;
  s.kind = data::SyntheticKind::planted;
  s.samples = 30000;
  s.evaluate_samples = 20000;
  s.rows = {1, 2, 3, 100, 5000, 200000, 1000000};
  s.max_rows = 100000;
  s.dense_features = 5;
  return settings;
}

data::Deal deal(bool shuffle, std::uint64_t seed = 5) { return {0, 1, Lanes(8), 1000, shuffle, seed}; }

/// Returns the area under the ROC curve; the scores have no ties.
double auc(const std::vector<double>& scores, const std::vector<float>& labels) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  double zeros = 0, pairs = 0;
  for (const std::size_t i : order) {
    if (labels[i] == 0.0f)
      zeros += 1;
    else
      pairs += zeros;
  }
  return pairs / (zeros * (static_cast<double>(scores.size()) - zeros));
}

}  // namespace

TEST_CASE("make_source: planted samples depend only on seed and stream and sample") {
  const data::Settings settings = planted();
  const auto one_rank = samples_file::drain(settings, Use::train, deal(true), 1, 1, 0);
  REQUIRE(one_rank.size() == 30);
  REQUIRE(samples_file::drain(settings, Use::train, deal(true), 3, 1, 0) == one_rank);
  REQUIRE(samples_file::drain(settings, Use::train, deal(true), 2, 1, 29).front() == one_rank.back());
  const auto sorted = [](const std::vector<std::vector<std::string>>& batches) {
    std::vector<std::string> all;
    for (const auto& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
    std::sort(all.begin(), all.end());
    return all;
  };
  // Another epoch and file order have the same samples.
  const auto other = samples_file::drain(settings, Use::train, deal(true), 1, 2, 0);
  REQUIRE(other != one_rank);
  REQUIRE(sorted(other) == sorted(one_rank));
  REQUIRE(sorted(samples_file::drain(settings, Use::train, deal(false), 1, 0, 0)) == sorted(one_rank));
  // Evaluation has other samples.
  const auto train = sorted(one_rank),
             evaluate = sorted(samples_file::drain(settings, Use::evaluate, deal(true), 1, 0, 0));
  std::vector<std::string> common;
  std::set_intersection(train.begin(), train.end(), evaluate.begin(), evaluate.end(), std::back_inserter(common));
  REQUIRE(common.empty());
}

TEST_CASE("make_source: planted dense numbers are standard normal and no two columns are alike") {
  const auto source = data::make_source(planted(), Use::train, deal(true));
  data::Batch batch{Exec()};
  double sums[5] = {}, squares[5] = {}, products[5] = {};  // products of a column and the one before
  while (source->next(batch))
    for (Index b = 0; b < batch.size; ++b)
      for (Index c = 0; c < 5; ++c) {
        const double x = batch.dense(b, c);
        sums[c] += x, squares[c] += x * x, products[c] += x * batch.dense(b, (c + 4) % 5);
      }
  for (Index c = 0; c < 5; ++c) {  // margins: five standard errors of 30000 numbers
    CHECK(sums[c] / 30000 == Approx(0.0).margin(5 / std::sqrt(30000.0)));
    CHECK(squares[c] / 30000 == Approx(1.0).margin(5 * std::sqrt(2 / 30000.0)));
    CHECK(products[c] / 30000 == Approx(0.0).margin(5 / std::sqrt(30000.0)));
  }
}

TEST_CASE("make_source: planted ids follow Zipf's law inside their tables and are scattered") {
  data::Settings settings = planted();
  settings.synthetic.samples = 100000;
  for (const double exponent : {0.0, 0.8, 1.0, 1.05, 1.5}) {
    settings.synthetic.zipf = exponent;
    data::Deal whole = deal(false);
    whole.batch_size = 100000;
    const auto source = data::make_source(settings, Use::train, whole);
    REQUIRE(source->info().rows.back() == 100000);
    data::Batch batch{Exec()};
    REQUIRE(source->next(batch));
    for (Index f = 0; f < batch.sparse.features(); ++f) {
      const Index rows = source->info().rows[f];
      std::map<Index, double> counts;
      for (Index b = 0; b < batch.size; ++b) counts[batch.sparse.values(batch.sparse.begin(f, b))] += 1;
      REQUIRE((counts.begin()->first >= 0 && counts.rbegin()->first < rows));
      std::vector<double> by_count;
      for (const auto& [id, count] : counts) by_count.push_back(count);
      std::sort(by_count.rbegin(), by_count.rend());
      double total = 0;
      for (Index k = 1; k <= rows; ++k) total += std::pow(static_cast<double>(k), -exponent);
      if (exponent > 0 || rows <= 3) {
        // The hottest rows and the first 64 together lie within five standard errors.
        for (std::size_t k = 0; k < std::min<std::size_t>(3, by_count.size()); ++k) {
          const double expected = 1e5 * std::pow(static_cast<double>(k + 1), -exponent) / total;
          REQUIRE(by_count[k] == Approx(expected).margin(5 * std::sqrt(expected) + 1));
        }
      }
      // The number of distinct rows, the sum of 1 - (1 - p)^n, shows the weight of the tail.
      double distinct = 0;
      for (Index k = 1; k <= rows; ++k)
        distinct += 1 - std::exp(1e5 * std::log1p(-std::pow(static_cast<double>(k), -exponent) / total * (1 - 1e-12)));
      REQUIRE(static_cast<double>(counts.size()) == Approx(distinct).margin(5 * std::sqrt(distinct) + 0.5));
      if (rows >= 5000 && exponent > 0) {
        const auto hottest = std::max_element(counts.begin(), counts.end(),
                                              [](const auto& a, const auto& b) { return a.second < b.second; });
        double low_half = 0;
        for (const auto& [id, count] : counts) low_half += id < rows / 2 ? 1 : 0;
        REQUIRE(low_half / static_cast<double>(counts.size()) == Approx(0.5).margin(0.05));
        REQUIRE(hottest->second > 10);
      }
    }
  }
}

TEST_CASE("variable_bags: gives bags of 0 to ids_per_bag ids and otherwise of ids_per_bag") {
  data::Settings settings = planted();
  settings.synthetic.ids_per_bag = 4;
  for (const bool variable : {false, true}) {
    settings.synthetic.variable_bags = variable;
    const auto source = data::make_source(settings, Use::train, deal(true));
    data::Batch batch{Exec()};
    std::map<Index, Index> lengths;
    while (source->next(batch))
      for (Index f = 0; f < 7; ++f)
        for (Index b = 0; b < batch.size; ++b) ++lengths[batch.sparse.length(f, b)];
    REQUIRE(lengths.size() == (variable ? 5 : 1));
    for (const auto& [length, count] : lengths)
      REQUIRE(static_cast<double>(count) == Approx(30000 * 7 / (variable ? 5.0 : 1.0)).epsilon(0.03));
    REQUIRE(lengths.rbegin()->first == 4);
  }
  // Each feature has a bag length of its own; a length of one stays one.
  settings.synthetic.bag_lengths = {1, 3, 1, 9, 1, 1, 2};
  const auto source = data::make_source(settings, Use::train, deal(true));
  data::Batch batch{Exec()};
  REQUIRE(source->next(batch));
  for (Index f = 0; f < 7; ++f) {
    std::set<Index> lengths;
    for (Index b = 0; b < batch.size; ++b) lengths.insert(batch.sparse.length(f, b));
    const Index max_ids = settings.synthetic.bag_lengths[f];
    REQUIRE(std::ssize(lengths) == (max_ids > 1 ? max_ids + 1 : 1));
    REQUIRE(*lengths.rbegin() == max_ids);
    REQUIRE(source->info().ids_per_bag[f] == (max_ids > 1 ? double(max_ids) / 2 : 1.0));
  }
  settings.synthetic.bag_lengths.pop_back();
  CHECK(
      mentions(error_of([&] { data::make_source(settings, Use::train, deal(true)); }), "bag_lengths must be as long"));
}

TEST_CASE("planted_truth: gives labels and click rate and spread and knows the rows seen in training") {
  const comm::Communicator comm(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  data::Settings settings = planted();
  settings.synthetic.click_rate = 0.3;
  settings.synthetic.strength = 1.7;
  const data::PlantedTruth whole = data::planted_truth(self, settings.synthetic, 5);
  REQUIRE(whole.probabilities.size() == 20000);

  // The ranks' runs, joined, equal the run of one rank.
  const data::PlantedTruth mine = data::planted_truth(comm, settings.synthetic, 5);
  REQUIRE(comm.all_gather(std::span<const double>(mine.probabilities)) == whole.probabilities);
  REQUIRE(comm.all_gather(std::span<const double>(mine.restricted)) == whole.restricted);
  REQUIRE(comm.all_gather(std::span<const float>(mine.labels)) == whole.labels);

  // The labels equal those of the evaluation source.
  const auto source = data::make_source(settings, Use::evaluate, deal(true));
  data::Batch batch{Exec()};
  Index at = 0;
  bool same = true;
  while (source->next(batch))
    for (Index b = 0; b < batch.size; ++b) same &= batch.labels(b) == whole.labels[at++];
  REQUIRE(same);

  double labels = 0, mean = 0, z_sum = 0, z_squares = 0;
  for (std::size_t i = 0; i < whole.labels.size(); ++i) {
    const double p = whole.probabilities[i], z = std::log(p / (1 - p));
    labels += whole.labels[i], mean += p, z_sum += z, z_squares += z * z;
  }
  REQUIRE(mean / 20000 == Approx(0.3).margin(0.01));
  REQUIRE(labels / 20000 == Approx(mean / 20000).margin(0.012));
  REQUIRE(std::sqrt(z_squares / 20000 - z_sum / 20000 * z_sum / 20000) == Approx(1.7).margin(0.05));

  const double best = auc(whole.probabilities, whole.labels), known = auc(whole.restricted, whole.labels);
  REQUIRE(best > known);
  REQUIRE(known > 0.7);
  // More rows are seen once or more than five times or more.
  const double once = auc(data::planted_truth(self, settings.synthetic, 5, 1).restricted, whole.labels);
  REQUIRE((best > once && once > known));
}

TEST_CASE("PlantedModel: ranks_seen marks the rows that the training samples hold") {
  data::Settings settings = planted();
  settings.synthetic.samples = 3000;
  const data::PlantedModel model(settings.synthetic, 5);
  const auto source = data::make_source(settings, Use::train, deal(true));
  data::Batch batch{Exec()};
  std::vector<std::map<Index, Index>> counts(7);
  while (source->next(batch))
    for (Index f = 0; f < 7; ++f)
      for (Index b = 0; b < batch.size; ++b) ++counts[f][batch.sparse.values(batch.sparse.begin(f, b))];
  for (Index f = 0; f < 7; ++f)
    for (const Index min_count : {Index{1}, Index{5}}) {
      Index expected = 0, seen = 0;
      for (const auto& [id, count] : counts[f]) expected += count >= min_count;
      for (const std::uint8_t byte : model.ranks_seen(f, 3000, min_count)) seen += __builtin_popcount(byte);
      REQUIRE(seen == expected);
    }
}

TEST_CASE("planted_truth: the default strength gives a best AUC of about 0.80") {
  const comm::Communicator comm(MPI_COMM_SELF);
  data::Settings settings = planted();
  settings.synthetic.dense_features = 13;
  const data::PlantedTruth truth = data::planted_truth(comm, settings.synthetic, 5);
  REQUIRE(auc(truth.probabilities, truth.labels) == Approx(0.80).margin(0.02));
}

TEST_CASE("planted_truth: the product of a pair's vectors is the pair's share of the logit") {
  const comm::Communicator self(MPI_COMM_SELF);
  data::Settings settings = planted();
  auto& s = settings.synthetic;
  s.evaluate_samples = 4000;
  const data::PlantedTruth without = data::planted_truth(self, s, 5);
  CHECK((without.queries.empty() && without.items.empty()));
  s.pair = {"C2", "C5"};
  s.pair_strength = 4;
  s.pair_rank = 3;
  const data::PlantedTruth truth = data::planted_truth(self, s, 5);
  REQUIRE(truth.queries.size() == 4000 * 4);
  REQUIRE(truth.items.size() == truth.queries.size());
  double own = 0, others = 0;  // a logit grows with the product of its own vectors only
  double mean = 0, squares = 0, z_mean = 0;
  std::vector<double> z, product, shifted;
  for (Index i = 0; i < 4000; ++i) {
    const double p = truth.probabilities[i];
    z.push_back(std::log(p / (1 - p)));
    product.push_back(0), shifted.push_back(0);
    for (Index d = 0; d < 4; ++d) {
      product.back() += truth.queries[4 * i + d] * truth.items[4 * i + d];
      shifted.back() += truth.queries[4 * i + d] * truth.items[4 * ((i + 1) % 4000) + d];
    }
    z_mean += z.back() / 4000, mean += product.back() / 4000;
  }
  for (Index i = 0; i < 4000; ++i) {
    own += (z[i] - z_mean) * product[i], others += (z[i] - z_mean) * shifted[i];
    squares += (product[i] - mean) * (product[i] - mean);
  }
  CHECK(own > 0.5 * squares * s.strength / std::sqrt(squares / 4000 + 6));
  CHECK(std::abs(others) < 0.2 * own);
  // The restricted truth ignores rows that training has seen too seldom, here all rows.
  s.samples = 10;
  const data::PlantedTruth unseen = data::planted_truth(self, s, 5, 50);
  double remaining = 0;
  for (Index i = 0; i < 4000; ++i)
    remaining += std::log(unseen.restricted[i] / (1 - unseen.restricted[i])) * (product[i] - mean);
  CHECK(std::abs(remaining) < 0.2 * own);

  for (const std::vector<std::string>& pair : {std::vector<std::string>{"C2"}, {"C2", "C2"}, {"C2", "C9"}}) {
    s.pair = pair;
    CHECK(mentions(error_of([&] { data::make_source(settings, Use::train, deal(true)); }), "data.synthetic.pair"));
  }
  s.pair = {"C2", "C5"}, s.ids_per_bag = 2;
  CHECK(mentions(error_of([&] { data::make_source(settings, Use::train, deal(true)); }), "set bag_lengths"));
}
