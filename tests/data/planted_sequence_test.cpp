// SPDX-License-Identifier: Apache-2.0
// Planted sequences: the term of the logit compared with its formula, and the ids of the items before.
#include <cmath>
#include <map>

#include "catch.hpp"
#include "errors.hpp"
#include "samples_file.hpp"
#include "src/data/planted_table.hpp"
#include <tesserec/core/random.hpp>
#include <tesserec/data/planted.hpp>

using namespace tesserec;
using data::Use;

namespace {

constexpr std::uint64_t seed = 5;
constexpr Index samples = 20000;

data::Settings sequences() {
  data::Settings settings;
  auto& s = settings.synthetic;
  s.kind = data::SyntheticKind::planted;
  s.samples = s.evaluate_samples = samples;
  s.rows = {50, 300, 300};
  s.bag_lengths = {1, 7, 1};
  s.variable_bags = true;
  s.dense_features = 3;
  s.sequence = {"C3", "C2"};
  s.sequence_strength = 3;
  return settings;
}

std::vector<data::PlantedTable> tables_of(const data::SyntheticSettings& settings) {
  std::vector<data::PlantedTable> tables;
  for (std::size_t t = 0; t < settings.rows.size(); ++t)
    tables.emplace_back(settings, seed, Index(t), settings.rows[t]);
  return tables;
}

data::Batch evaluation_batch(const data::Settings& settings) {
  const auto source = data::make_source(settings, Use::evaluate, {0, 1, Lanes(1), samples, false, seed});
  data::Batch batch{Exec()};
  REQUIRE(source->next(batch));
  REQUIRE(batch.size == samples);
  return batch;
}

/// Returns the sum of the dense features by their weights.
std::vector<double> dense_sums(const data::Batch& batch) {
  const Random weights(seed, Purpose::planted_model, 0);
  std::vector<double> sums(samples, 0.0);
  for (Index b = 0; b < samples; ++b)
    for (Index j = 0; j < 3; ++j) sums[std::size_t(b)] += weights.normal(j, 0) * double(batch.dense(b, j));
  return sums;
}

/// Requires that the logits of the probabilities are a fixed multiple of the sums and a fixed number more.
void require_linear(const std::vector<double>& probabilities, const std::vector<double>& sums) {
  const auto logit = [&](std::size_t i) { return std::log(probabilities[i] / (1 - probabilities[i])); };
  std::size_t far = 1;
  while (std::abs(sums[far] - sums[0]) < 1) ++far;
  const double scale = (logit(far) - logit(0)) / (sums[far] - sums[0]);
  CHECK(scale > 0);
  Index wrong = 0;
  for (std::size_t i = 0; i < sums.size(); ++i)
    wrong += !(std::abs(logit(i) - logit(0) - scale * (sums[i] - sums[0])) < 1e-6);
  CHECK(wrong == 0);
}

/// Returns the sums of all terms of the logit, without the rows outside `mask` (null: all rows).
std::vector<double> sums_of(const data::Settings& settings, const data::RankMask* mask) {
  const auto seen = [&](std::size_t table, Index rank) {
    return mask == nullptr || ((*mask)[table][std::size_t(rank / 8)] >> (rank % 8) & 1) != 0;
  };
  const auto known = [&](Index rank) { return seen(1, rank) || seen(2, rank); };  // rows of the sequence
  const std::vector<data::PlantedTable> tables = tables_of(settings.synthetic);
  std::vector<double> sums = dense_sums(evaluation_batch(settings));
  std::vector<data::RankBags> bags(3);
  for (std::size_t t = 0; t < 3; ++t) {
    tables[t].draw(data::PlantedStream::evaluate, data::numbers({0, samples}), bags[t]);
    std::vector<float> effects(bags[t].ranks.size());
    tables[t].effects(bags[t].ranks, effects.data());
    for (std::size_t b = 0; b < samples; ++b) {
      const Index begin = bags[t].offsets[b], end = bags[t].offsets[b + 1];
      for (Index i = begin; i < end; ++i)
        if (seen(t, bags[t].ranks[std::size_t(i)])) sums[b] += double(effects[std::size_t(i)]) / double(end - begin);
    }
  }
  double squares = 0;
  for (int i = 0; i < 7; ++i) squares += std::pow(0.64, i);
  for (std::size_t b = 0; b < samples; ++b) {
    const Index item = bags[2].ranks[b], end = bags[1].offsets[b + 1];
    for (Index i = bags[1].offsets[b]; i < end; ++i) {
      const Index before = bags[1].ranks[std::size_t(i)];
      for (Index j = 0; j < 4 && known(item) && known(before); ++j)
        sums[b] += 3 / std::sqrt(4 * squares) * std::pow(0.8, end - 1 - i) * double(tables[2].latent(item, j)) *
                   double(tables[2].latent(before, j));
    }
  }
  return sums;
}

}  // namespace

TEST_CASE("planted_truth: a sequence's term is that of its formula, the latest item first") {
  data::Settings settings = sequences();
  const auto& s = settings.synthetic;
  const data::PlantedTruth truth = data::planted_truth(comm::Communicator::self(), s, seed);
  const std::vector<double> sums = sums_of(settings, nullptr);
  require_linear(truth.probabilities, sums);
  settings.synthetic.sequence_strength = 0;
  const data::PlantedTruth without = data::planted_truth(comm::Communicator::self(), s, seed);
  CHECK(without.probabilities != truth.probabilities);
}

TEST_CASE("planted_truth: of rows that training has seen too seldom a sequence's term is left out") {
  data::Settings settings = sequences();
  auto& s = settings.synthetic;
  s.samples = 300;
  const data::PlantedModel model(s, seed);
  data::RankMask seen;
  for (Index t = 0; t < 3; ++t) seen.push_back(model.ranks_seen(t, s.samples, 3));
  Index items = 0, before = 0;
  for (const std::uint8_t byte : seen[2]) items += __builtin_popcount(byte);
  for (const std::uint8_t byte : seen[1]) before += __builtin_popcount(byte);
  CHECK((0 < items && items < before && before < 290));
  require_linear(data::planted_truth(comm::Communicator::self(), s, seed, 3).restricted, sums_of(settings, &seen));
}

TEST_CASE("make_source: items of a sequence and of the samples are the same rows, from any ranks") {
  const data::Settings settings = sequences();
  const std::vector<data::PlantedTable> tables = tables_of(settings.synthetic);
  const data::Batch batch = evaluation_batch(settings);
  data::RankBags before;
  tables[1].draw(data::PlantedStream::evaluate, data::numbers({0, samples}), before);
  std::map<Index, Index> rank_of;
  for (Index rank = 0; rank < 300; ++rank) rank_of[tables[2].row(rank)] = rank;
  REQUIRE(rank_of.size() == 300);
  Index differ = 0;
  std::vector<double> counts(300, 0.0);
  for (Index b = 0; b < samples; ++b)
    for (Index i = 0; i < batch.sparse.length(1, b); ++i) {
      const Index rank = rank_of.at(batch.sparse.values(batch.sparse.begin(1, b) + i));
      differ += rank != before.ranks[std::size_t(before.offsets[std::size_t(b)] + i)];
      ++counts[std::size_t(rank)];
    }
  CHECK(differ == 0);
  double all = 0, chi_square = 0;
  for (const double count : counts) all += count;
  CHECK(all == Approx(3.5 * samples).epsilon(0.02));
  for (Index rank = 0; rank < 300; ++rank) {
    const double expected = all * tables[2].share(rank);
    chi_square += (counts[std::size_t(rank)] - expected) * (counts[std::size_t(rank)] - expected) / expected;
  }
  CHECK(chi_square < 380);  // 299 degrees of freedom: 0.999 of all draws
  CHECK(chi_square > 229);

  const data::Deal deal{0, 1, Lanes(8), 1000, true, seed};
  const auto one_rank = samples_file::drain(settings, Use::train, deal, 1, 1, 0);
  REQUIRE(samples_file::drain(settings, Use::train, deal, 3, 1, 0) == one_rank);
  const comm::Communicator world(MPI_COMM_WORLD);
  const data::PlantedTruth mine = data::planted_truth(world, settings.synthetic, seed);
  CHECK(world.all_gather(std::span<const double>(mine.probabilities)) ==
        data::planted_truth(comm::Communicator::self(), settings.synthetic, seed).probabilities);
}

TEST_CASE("data.synthetic.sequence: keys that do not fit are refused") {
  const auto refusal = [](const auto& change) {
    data::Settings settings = sequences();
    change(settings.synthetic);
    return error_of([&] { data::make_source(settings, Use::train, {0, 1, Lanes(8), 1000, true, seed}); });
  };
  using Synthetic = data::SyntheticSettings;
  CHECK(refusal([](Synthetic&) {}) == "");
  CHECK(mentions(refusal([](Synthetic& s) { s.sequence = {"C3"}; }), "sequence must name two different features"));
  CHECK(mentions(refusal([](Synthetic& s) { s.sequence = {"C3", "C3"}; }), "sequence must name two different"));
  CHECK(mentions(refusal([](Synthetic& s) {
                   s.sequence = {"C3", "C9"};
                 }),
                 "sequence names \"C9\", which is not a feature; the features are C1, C2, C3"));
  CHECK(mentions(refusal([](Synthetic& s) {
                   s.sequence = {"C2", "C3"};
                 }),
                 "sequence names the item \"C2\", which does not have exactly one id in each sample"));
  CHECK(mentions(refusal([](Synthetic& s) {
                   s.sequence = {"C1", "C2"};
                 }),
                 "sequence names \"C1\" with 50 rows and \"C2\" with 300; give both the same items"));
  CHECK(mentions(refusal([](Synthetic& s) {
                   s.pair = {"C1", "C3"};
                 }),
                 "sequence applies only to a model without a pair"));
  CHECK(mentions(refusal([](Synthetic& s) {
                   s.kind = data::SyntheticKind::reference;
                   s.bag_lengths.clear();
                 }),
                 "sequence applies only to kind = \"planted\""));
  CHECK(mentions(refusal([](Synthetic& s) { s.sequence.clear(); }), "sequence_strength applies only with sequence"));
  CHECK(mentions(refusal([](Synthetic& s) {
                   s.sequence.clear();
                   s.sequence_strength = 1;
                   s.pair_strength = 2;
                 }),
                 "pair_strength applies only with pair"));
}
