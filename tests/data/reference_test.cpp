// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <set>

#include "catch.hpp"
#include "samples_file.hpp"
#include <tesserec/core/error.hpp>

using namespace tesserec;
using data::Use;

namespace {

template <class T>
std::vector<T> range_of(const Vector<T>& view, Index begin, Index end) {
  return {view.data() + begin, view.data() + end};
}

data::Settings tables_432() {
  data::Settings settings;
  auto& s = settings.synthetic;
  s.kind = data::SyntheticKind::reference;
  s.samples = 1000;
  s.evaluate_samples = 100;
  s.rows = {4, 3, 2};
  s.dense_features = 4;
  s.ids_per_bag = 10;
  return settings;
}

}  // namespace

TEST_CASE("ReferenceGenerator: gives the three published mini-batches of the reference DLRM") {
  struct Published {
    std::vector<double> dense;
    std::vector<Index> ids, offsets;
    std::vector<double> targets;
  };
  const std::vector<Published> published = {{{0.4170, 0.7203, 0.0001, 0.3023, 0.1468, 0.0923, 0.1863, 0.3456},
                                             {1, 2, 0, 1, 3, /**/ 1, 0, /**/ 0, 1, 1},
                                             {0, 2, 5, /**/ 6, 7, /**/ 9, 10},
                                             {0.8946, 0.0850}},
                                            {{0.0391, 0.1698, 0.8781, 0.0983, 0.4211, 0.9579, 0.5332, 0.6919},
                                             {2, 0, 2, 3, /**/ 1, 2, 1, /**/ 0, 0},
                                             {0, 1, 4, /**/ 6, 7, /**/ 8, 9},
                                             {0.6788, 0.2116}},
                                            {{0.2655, 0.4916, 0.0534, 0.5741, 0.1467, 0.5893, 0.6998, 0.1023},
                                             {1, 2, 2, /**/ 1, 2, 0, 2, /**/ 1, 0},
                                             {0, 2, 3, /**/ 5, 7, /**/ 8, 9},
                                             {0.9275, 0.3478}}};
  const auto require_published = [&](const data::Batch& batch, const Published& as) {
    REQUIRE((batch.size == 2 && batch.global_size == 2 && batch.sparse.stride == 2));
    for (Index i = 0; i < 8; ++i) REQUIRE(batch.dense(i / 4, i % 4) == Approx(as.dense[i]).margin(5e-5));
    REQUIRE(range_of(batch.sparse.values, 0, batch.sparse.total()) == as.ids);
    REQUIRE(range_of(batch.sparse.offsets, 0, 7) == as.offsets);
    for (Index b = 0; b < 2; ++b) REQUIRE(batch.labels(b) == Approx(as.targets[b]).margin(5e-5));
  };
  data::Settings settings = tables_432();
  data::Mt19937Stream twister(1);
  const data::ReferenceGenerator generator(settings.synthetic);
  data::Batch batch{Exec()};
  for (Index k = 0; k < 3; ++k) {
    const std::vector<Index> samples = {2 * k, 2 * k + 1};
    generator.fill(samples, 2, twister, batch);
    require_published(batch, published[k]);
  }

  settings.synthetic.bit_generator = data::BitGenerator::mt19937;
  settings.synthetic.samples = settings.synthetic.evaluate_samples = 7;  // the last batch is short
  const data::Deal deal{0, 1, Lanes(2), 2, false, 1};
  const auto source = data::make_source(settings, Use::train, deal);
  for (Index epoch = 0; epoch < 2; ++epoch) {
    source->seek(epoch, 0);
    for (const Published& as : published) {
      REQUIRE(source->next(batch));
      require_published(batch, as);
    }
    REQUIRE(source->next(batch));
    REQUIRE(batch.size == 1);
    REQUIRE_FALSE(source->next(batch));
  }
  const auto one_rank = samples_file::drain(settings, Use::train, deal, 1, 0, 0);
  REQUIRE(one_rank.size() == 4);
  REQUIRE(samples_file::drain(settings, Use::train, deal, 2, 0, 0) == one_rank);
  REQUIRE(samples_file::drain(settings, Use::train, deal, 2, 3, 2) ==
          std::vector(one_rank.begin() + 2, one_rank.end()));
  REQUIRE(samples_file::drain(settings, Use::evaluate, deal, 1, 0, 0) == one_rank);
  data::Deal in_two = deal;
  in_two.lanes = Lanes(2, 2);
  std::vector<std::vector<std::string>> joined;
  for (const auto& micro_batch : samples_file::drain(settings, Use::train, in_two, 1, 0, 1)) {
    if (joined.empty() || joined.back().size() == one_rank[joined.size()].size()) joined.emplace_back();
    joined.back().insert(joined.back().end(), micro_batch.begin(), micro_batch.end());
  }
  REQUIRE(joined == std::vector(one_rank.begin() + 1, one_rank.end()));
  data::Deal shuffled = deal;
  shuffled.shuffle = true;
  REQUIRE_THROWS_AS(data::make_source(settings, Use::train, shuffled), Error);
}

TEST_CASE("make_source: reference bags have up to ids_per_bag draws or always ids_per_bag") {
  data::Settings settings = tables_432();
  settings.synthetic.rows = {100000, 3, 1};
  const auto mean_lengths = [&](std::optional<bool> variable) {
    settings.synthetic.variable_bags = variable;
    const auto source = data::make_source(settings, Use::train, {0, 1, Lanes(1), 1000, false, 5});
    data::Batch batch{Exec()};
    REQUIRE(source->next(batch));
    std::vector<double> means(3);
    for (Index f = 0; f < 3; ++f) {
      for (Index b = 0; b < 1000; ++b) means[f] += 1e-3 * static_cast<double>(batch.sparse.length(f, b));
      REQUIRE(means[f] == Approx(source->info().ids_per_bag[f]).epsilon(0.05));  // the planner uses this number
    }
    return means;
  };
  const auto fixed = mean_lengths(false), variable = mean_lengths(true);
  REQUIRE(fixed[0] == Approx(10).margin(0.01));
  REQUIRE(fixed[1] == Approx(2.9).margin(0.1));
  REQUIRE(fixed[2] == Approx(1));
  REQUIRE(variable[0] == Approx(5.3).margin(0.4));
  REQUIRE(mean_lengths({}) == variable);
}

TEST_CASE("make_source: reference samples are the same in every epoch and on any ranks") {
  const data::Settings settings = tables_432();
  const data::Deal deal{0, 1, Lanes(8), 64, false, 5};
  const auto one_rank = samples_file::drain(settings, Use::train, deal, 1, 0, 0);
  REQUIRE(one_rank.size() == 16);
  REQUIRE(samples_file::drain(settings, Use::train, deal, 1, 1, 0) == one_rank);
  REQUIRE(samples_file::drain(settings, Use::train, deal, 3, 0, 0) == one_rank);
  REQUIRE(samples_file::drain(settings, Use::train, deal, 2, 0, 15) ==
          std::vector(one_rank.begin() + 15, one_rank.end()));
  // Evaluation uses the same stream.
  REQUIRE(samples_file::drain(settings, Use::evaluate, deal, 1, 0, 0).front() == one_rank.front());
  data::Deal other = deal;
  other.seed = 6;
  REQUIRE(samples_file::drain(settings, Use::train, other, 1, 0, 0) != one_rank);
}

TEST_CASE("make_source: reference bags and targets obey the rule") {
  data::Settings settings = tables_432();
  settings.synthetic.rows = {100, 1, 5};
  settings.synthetic.round_targets = true;
  const auto source = data::make_source(settings, Use::train, {0, 1, Lanes(1), 1000, true, 5});
  data::Batch batch{Exec()};
  REQUIRE(source->next(batch));
  double ones = 0, first_ids = 0;
  bool sorted = true;
  for (Index b = 0; b < batch.size; ++b) {
    REQUIRE((batch.labels(b) == 0.0f || batch.labels(b) == 1.0f));
    ones += batch.labels(b);
    REQUIRE(batch.sparse.length(1, b) == 1);
    for (Index f = 0; f < 3; ++f) {
      const Index begin = batch.sparse.begin(f, b), length = batch.sparse.length(f, b);
      REQUIRE((length >= 1 && length <= std::min<Index>(10, settings.synthetic.rows[f])));
      for (Index i = begin + 1; i < begin + length; ++i) sorted &= batch.sparse.values(i - 1) < batch.sparse.values(i);
      REQUIRE(
          (batch.sparse.values(begin) >= 0 && batch.sparse.values(begin + length - 1) < settings.synthetic.rows[f]));
      if (f == 0) first_ids += static_cast<double>(length);
    }
  }
  REQUIRE(sorted);
  REQUIRE(ones / 1000 == Approx(0.5).margin(0.06));
  // round(max(1, 10 u)) has the mean 5.05; a few draws are equal.
  REQUIRE(first_ids / 1000 == Approx(4.9).margin(0.4));
}

TEST_CASE("ReferenceGenerator: follows the rule for short and long bags in small and large tables") {
  data::SyntheticSettings settings = tables_432().synthetic;
  settings.ids_per_bag = 50;
  settings.rows = {3, 64, 65, 1000, 3000000};
  std::vector<Index> samples(200);
  data::Mt19937Stream twister(1), plain(1);
  data::Batch batch{Exec()};
  data::ReferenceGenerator(settings).fill(samples, 200, twister, batch);
  for (Index i = 0; i < 200 * settings.dense_features; ++i) plain.next();
  Index at = 0, longest = 0;
  for (const Index rows : settings.rows)
    for (Index b = 0; b < 200; ++b) {
      const auto max_draws = static_cast<double>(std::min<Index>(rows, 50));
      std::set<Index> ids;
      for (auto draws = static_cast<Index>(std::nearbyint(std::max(1.0, plain.next() * max_draws))); draws > 0; --draws)
        ids.insert(static_cast<Index>(std::nearbyint(plain.next() * static_cast<double>(rows - 1))));
      const auto length = static_cast<Index>(ids.size());
      REQUIRE(range_of(batch.sparse.values, at, at + length) == std::vector<Index>(ids.begin(), ids.end()));
      at += length;
      longest = std::max(longest, length);
    }
  REQUIRE(batch.sparse.offsets(1000) == at);
  REQUIRE(longest > 40);
}

TEST_CASE("ReferenceGenerator: rounds halves to even") {
  struct Halves : data::UniformStream {
    double next() override { return 0.5; }
  } halves;
  data::SyntheticSettings settings = tables_432().synthetic;
  settings.rows = {2, 4, 6, 102};  // 0.5, 1.5, 2.5 and 50.5
  settings.round_targets = true;
  data::Batch batch{Exec()};
  data::ReferenceGenerator(settings).fill(std::vector<Index>{0}, 1, halves, batch);
  REQUIRE(range_of(batch.sparse.values, 0, 4) == std::vector<Index>{0, 2, 2, 50});
  REQUIRE(batch.sparse.offsets(4) == 4);
  REQUIRE(batch.labels(0) == 0.0f);
}
