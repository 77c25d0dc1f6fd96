// SPDX-License-Identifier: Apache-2.0
// Laws of generated ids and bag lengths, by Pearson's chi-square with fixed seeds.
#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "errors.hpp"
#include "samples_file.hpp"
#include "store/scratch.hpp"
#include <tesserec/data/id_shares.hpp>
#include <tesserec/data/reference.hpp>

using namespace tesserec;
using data::Use;

namespace {

/// Returns (chi-square - degrees of freedom) / its standard deviation. Neighboring cells are joined until a cell is
/// expected 10 times or more.
double deviations(const std::vector<double>& counts, const std::vector<double>& probabilities) {
  double total = 0, square = 0, cells = 0, count = 0, expected = 0;
  for (const double c : counts) total += c;
  double rest = total;  // expected in the cells that follow
  for (std::size_t i = 0; i < counts.size(); ++i) {
    count += counts[i], expected += probabilities[i] * total, rest -= probabilities[i] * total;
    if ((expected < 10 || rest < 10) && i + 1 < counts.size()) continue;
    square += (count - expected) * (count - expected) / expected;
    cells += 1, count = 0, expected = 0;
  }
  return (square - (cells - 1)) / std::sqrt(2 * (cells - 1));
}

/// Returns how often each id of the feature comes in all batches of an epoch.
std::vector<double> counts_of(const data::Settings& settings, Index feature, Index rows) {
  const auto source = data::make_source(settings, Use::train, {0, 1, Lanes(1), 4096, false, 5});
  std::vector<double> counts(rows, 0.0);
  data::Batch batch{Exec()};
  while (source->next(batch))
    for (Index b = 0; b < batch.size; ++b)
      for (Index i = 0; i < batch.sparse.length(feature, b); ++i)
        ++counts.at(batch.sparse.values(batch.sparse.begin(feature, b) + i));
  return counts;
}

data::Settings one_id_each(data::SyntheticKind kind, std::vector<Index> rows) {
  data::Settings settings;
  settings.synthetic.kind = kind;
  settings.synthetic.samples = 200000;
  settings.synthetic.rows = std::move(rows);
  settings.synthetic.dense_features = 1;
  settings.synthetic.variable_bags = false;
  return settings;
}

std::vector<double> zipf_shares(Index rows, double exponent) {
  std::vector<double> shares;
  double total = 0;
  for (Index k = 1; k <= rows; ++k) total += std::pow(double(k), -exponent);
  for (Index k = 1; k <= rows; ++k) shares.push_back(std::pow(double(k), -exponent) / total);
  return shares;
}

double normal_below(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

}  // namespace

TEST_CASE("ids: reference ids are uniform, the first and the last half as frequent") {
  const auto counts = counts_of(one_id_each(data::SyntheticKind::reference, {100}), 0, 100);
  std::vector<double> shares(100, 1.0 / 99);
  CHECK(std::abs(deviations(counts, shares)) > 5);  // the test sees the ends
  shares.front() = shares.back() = 0.5 / 99;
  CHECK(std::abs(deviations(counts, shares)) < 4);
}

TEST_CASE("ids: reference ids follow Zipf's law, in the hot part and in the tail") {
  const Index rows = 100000;
  data::Settings settings = one_id_each(data::SyntheticKind::reference, {rows});
  settings.synthetic.ids = data::IdLaw::zipf;
  for (const double exponent : {0.0, 0.7, 1.0, 1.3}) {
    settings.synthetic.zipf = exponent;
    const auto counts = counts_of(settings, 0, rows);
    CHECK(std::abs(deviations(counts, zipf_shares(rows, exponent))) < 4);
    std::vector<double> next = zipf_shares(rows + 1, exponent);  // ranks off by one
    next.erase(next.begin());
    if (exponent == 0) continue;
    CHECK(std::abs(deviations(counts, next)) > 5);
    CHECK(std::abs(deviations(counts, zipf_shares(rows, exponent + 0.02))) > 5);
  }
}

TEST_CASE("ids: the ranks of planted ids follow Zipf's law, or are uniform") {
  data::Settings settings = one_id_each(data::SyntheticKind::planted, {3000, 20000});
  const auto check = [&](double exponent) {
    const auto source = data::make_source(settings, Use::train, {0, 1, Lanes(1), 4096, false, 5});
    const data::IdShares shares = data::id_shares(settings, source->info(), 5);
    for (Index f = 0; f < 2; ++f) {
      const Index rows = settings.synthetic.rows[f];
      const auto by_id = counts_of(settings, f, rows);
      const auto law = zipf_shares(rows, exponent);
      // The rows of the hot ranks by their shares; one cell has all others.
      std::vector<data::IdShares::IdCount> hot = shares.features.at(f == 0 ? "C1" : "C2");
      std::sort(hot.begin(), hot.end(), [](const auto& a, const auto& b) { return a.times > b.times; });
      std::vector<double> counts, expected;
      double rest = double(settings.synthetic.samples), rest_expected = 1;
      for (std::size_t k = 0; k < hot.size(); ++k) {
        counts.push_back(by_id[hot[k].id]), expected.push_back(law[k]);
        rest -= counts.back(), rest_expected -= expected.back();
      }
      if (std::ssize(hot) < rows) counts.push_back(rest), expected.push_back(rest_expected);
      CHECK(std::abs(deviations(counts, expected)) < 4);
    }
  };
  for (const double exponent : {0.6, 1.05}) {
    settings.synthetic.zipf = exponent;
    check(exponent);
  }
  settings.synthetic.ids = data::IdLaw::uniform;
  for (Index f = 0; f < 2; ++f) {
    const Index rows = settings.synthetic.rows[f];
    CHECK(std::abs(deviations(counts_of(settings, f, rows), std::vector<double>(rows, 1.0 / double(rows)))) < 4);
  }
}

TEST_CASE("ids: those of a data set are counted for the planner, whatever its labels") {
  const comm::Communicator self(MPI_COMM_SELF);
  const Scratch scratch(self);
  const std::string path = scratch / "a.h5";
  store::File file = store::File::create(path);
  samples_file::attributes(file, 4, {"a"}, {100}, {});
  file.set_attribute("/", "tasks", std::vector<std::string>{"click", "buy"});
  const std::vector<float> labels{0, std::numeric_limits<float>::quiet_NaN(), 1, 5, 0, 0, 1, -3};
  const std::vector<std::int32_t> ids{7, 3, 7, 7};
  file.write_all("/labels", {4, 2}, labels.data());
  file.write_all("/sparse/ids", {4, 1}, ids.data());
  file.close();
  data::Settings settings;
  settings.train = {path};
  const auto source = data::make_source(settings, Use::train, {0, 1, Lanes(1), 4, false, 5});
  const data::IdShares shares = data::id_shares(settings, source->info(), 5);
  REQUIRE(shares.features.count("a") == 1);
  const auto& counts = shares.features.at("a");
  REQUIRE(counts.size() == 2);
  CHECK((counts[0].id == 3 && counts[0].times == 1 && counts[1].id == 7 && counts[1].times == 3));
}

TEST_CASE("ids: gaussian ids are normal numbers, clipped and rounded down") {
  data::Settings settings = one_id_each(data::SyntheticKind::reference, {1000, 30});
  settings.synthetic.ids = data::IdLaw::gaussian;
  const auto check = [&](Index feature, double low, double high, double mu, double sigma) {
    const Index rows = settings.synthetic.rows[feature];
    std::vector<double> shares(rows, 0.0);
    for (Index k = Index(low); k < Index(high); ++k)
      shares[k] =
          normal_below((double(k + 1) - mu) / sigma) - (k == Index(low) ? 0.0 : normal_below((double(k) - mu) / sigma));
    shares[Index(high)] = 1 - normal_below((high - mu) / sigma);
    const auto counts = counts_of(settings, feature, rows);
    CHECK(std::abs(deviations(counts, shares)) < 4);
    shares.insert(shares.begin(), 0.0), shares.pop_back();  // ids off by one
    CHECK(std::abs(deviations(counts, shares)) > 5);
  };
  check(0, 0, 999, 499.5, 999 / 6.0);
  check(1, 0, 29, 14.5, 29 / 6.0);
  settings.synthetic.gaussian_mu = 12;
  settings.synthetic.gaussian_sigma = 40;
  settings.synthetic.gaussian_min = 3;
  settings.synthetic.gaussian_max = 50;
  check(0, 3, 50, 12, 40);
  check(1, 3, 29, 12, 40);  // the range ends with the table
}

TEST_CASE("ids: gaussian and Zipf ids are the same on any ranks") {
  data::Settings settings = one_id_each(data::SyntheticKind::reference, {1000, 30});
  settings.synthetic.samples = 3000;
  settings.synthetic.ids_per_bag = 3;  // an odd number of normal numbers
  for (const data::IdLaw law : {data::IdLaw::gaussian, data::IdLaw::zipf}) {
    settings.synthetic.ids = law;
    const data::Deal deal{0, 1, Lanes(8), 500, true, 5};
    CHECK(samples_file::drain(settings, Use::train, deal, 3, 0, 0) ==
          samples_file::drain(settings, Use::train, deal, 1, 0, 0));
  }
}

TEST_CASE("ids: gaussian ids of mt19937 are those of the reference program") {
  // numpy 1.24: ra.seed(7), two calls of generate_dist_input_batch(3, [20, 40], 3, 7, False, "gaussian", 2,
  // 17, 9.5, 5.0) with generate_random_output_batch(3, 1) behind each.
  const std::vector<std::vector<Index>> published = {
      {6, 12, 14},       {8, 9},      {9, 10, 12},        {10, 13},      {17},       {2, 2, 8, 8, 10},
      {2, 5, 8, 12, 13}, {2, 10, 12}, {7, 8, 10, 10, 17}, {5, 7, 9, 15}, {7, 9, 17}, {5, 5}};
  data::Settings settings = one_id_each(data::SyntheticKind::reference, {20, 40});
  auto& s = settings.synthetic;
  s.samples = 6, s.dense_features = 3, s.ids_per_bag = 7, s.variable_bags = true;
  s.ids = data::IdLaw::gaussian, s.bit_generator = data::BitGenerator::mt19937;
  s.gaussian_min = 2, s.gaussian_max = 17, s.gaussian_mu = 9.5, s.gaussian_sigma = 5.0;
  const auto source = data::make_source(settings, Use::train, {0, 1, Lanes(1), 3, false, 7});
  data::Batch batch{Exec()};
  for (std::size_t k = 0; k < 2; ++k) {
    REQUIRE(source->next(batch));
    for (Index bag = 0; bag < 6; ++bag) {
      const Index* const values = batch.sparse.values.data();
      CHECK(std::vector<Index>(values + batch.sparse.offsets(bag), values + batch.sparse.offsets(bag + 1)) ==
            published[6 * k + bag]);
    }
  }
}

TEST_CASE("ids: means of bag lengths that the planner uses are those of the bags") {
  data::Settings settings = one_id_each(data::SyntheticKind::reference, {50, 20000});
  auto& s = settings.synthetic;
  s.samples = 8192, s.ids_per_bag = 30, s.gaussian_min = 0;
  for (const bool variable : {false, true})
    for (const data::IdLaw law : {data::IdLaw::uniform, data::IdLaw::gaussian, data::IdLaw::zipf}) {
      s.ids = law, s.variable_bags = variable;
      s.gaussian_min = law == data::IdLaw::gaussian ? std::optional<Index>(20) : std::nullopt;
      s.gaussian_sigma = law == data::IdLaw::gaussian ? std::optional<double>(2000) : std::nullopt;
      const auto source = data::make_source(settings, Use::train, {0, 1, Lanes(1), 8192, false, 5});
      data::Batch batch{Exec()};
      REQUIRE(source->next(batch));
      for (Index f = 0; f < 2; ++f) {
        double ids = 0;
        for (Index b = 0; b < batch.size; ++b) ids += double(batch.sparse.length(f, b));
        CHECK(ids / 8192 == Approx(source->info().ids_per_bag[f]).epsilon(0.02));
      }
    }
}

TEST_CASE("variable_bags: lengths are uniform, of reference bags with the shorter ends of rounding") {
  for (const auto kind : {data::SyntheticKind::planted, data::SyntheticKind::reference}) {
    data::Settings settings = one_id_each(kind, {1000000});
    settings.synthetic.samples = 50000;
    settings.synthetic.ids_per_bag = 4;
    settings.synthetic.variable_bags = true;
    settings.synthetic.zipf = 0;
    const auto source = data::make_source(settings, Use::train, {0, 1, Lanes(1), 50000, false, 5});
    data::Batch batch{Exec()};
    REQUIRE(source->next(batch));
    std::vector<double> lengths(5, 0.0);
    for (Index b = 0; b < batch.size; ++b) ++lengths.at(batch.sparse.length(0, b));
    if (kind == data::SyntheticKind::planted)
      CHECK(std::abs(deviations(lengths, std::vector<double>(5, 0.2))) < 4);
    else
      CHECK(std::abs(deviations({lengths.begin() + 1, lengths.end()}, {0.375, 0.25, 0.25, 0.125})) < 4);
  }
}

TEST_CASE("ids: laws that a kind does not have are refused") {
  const auto error = [](const auto& change) {
    data::Settings settings = one_id_each(data::SyntheticKind::reference, {10});
    change(settings.synthetic);
    return error_of([&] { data::make_source(settings, Use::train, {0, 1, Lanes(1), 8, false, 5}); });
  };
  using S = data::SyntheticSettings;
  CHECK(mentions(error([](S& s) { s.kind = data::SyntheticKind::planted, s.ids = data::IdLaw::gaussian; }),
                 "data.synthetic.ids is gaussian"));
  CHECK(mentions(error([](S& s) { s.gaussian_mu = 3; }), "data.synthetic.gaussian_mu applies only"));
  CHECK(mentions(error([](S& s) { s.ids = data::IdLaw::zipf, s.bit_generator = data::BitGenerator::mt19937; }),
                 "data.synthetic.ids is zipf"));
  CHECK(mentions(error([](S& s) { s.ids = data::IdLaw::gaussian, s.gaussian_min = 5, s.gaussian_max = 4; }),
                 "data.synthetic.gaussian_max is 4, below"));
}
