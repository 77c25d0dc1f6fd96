// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "planted_table.hpp"
#include <tesserec/core/elementary.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/data/batch.hpp>
#include <tesserec/data/planted.hpp>

namespace tesserec::data {
namespace {

constexpr Index calibration_samples = 32768;
constexpr double sequence_decay = 0.8;  // weight of an item of a sequence, where the one after it has 1
// Counters of a sample's random numbers that belong to no table.
constexpr Index label_quad = 0, dense_quad = 1;

/// Returns the random numbers of a stream's samples, or of a further label of them, behind those of all tables.
Random sample_numbers(std::uint64_t seed, PlantedStream stream, std::size_t label = 0) {
  const std::uint64_t end_of = label > 0 ? 1 : 0;
  return {seed, Purpose::planted_samples, ((std::uint64_t(stream) + end_of) << 32) - label};
}

/// Replaces each of the n values z by sigmoid(bias + scale * z).
TESSEREC_KERNEL void to_probabilities(double bias, double scale, double* z, Index n) {
  for (Index i = 0; i < n; ++i) z[i] = elementary::sigmoid(bias + scale * z[i]);
}

/// Replaces each of the n values own[i] by a * shared[i] + b * own[i].
void mix(double a, const double* shared, double b, double* own, Index n) {
  for (Index i = 0; i < n; ++i) own[i] = std::fma(a, shared[i], b * own[i]);
}

/// Returns mean and standard deviation of the calibration samples' values.
std::pair<double, double> mean_and_deviation(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / calibration_samples;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / calibration_samples)};
}

/// Returns the bias, found by bisection of [low, -low], that gives the calibration samples the mean probability `rate`.
double bias_of(const std::vector<double>& z, double scale, double low, double rate) {
  std::vector<double> probabilities;
  double high = -low, bias = 0;
  for (int step = 0; step < 100; ++step) {
    bias = (low + high) / 2;
    if (bias == low || bias == high) break;  // no number lies between, mostly after 60 steps
    probabilities = z;
    to_probabilities(bias, scale, probabilities.data(), calibration_samples);
    double clicks = 0;
    for (const double p : probabilities) clicks += p;
    (clicks < rate * calibration_samples ? low : high) = bias;
  }
  return bias;
}

bool has(const std::vector<std::uint8_t>& mask, Index rank) { return (mask[rank / 8] >> (rank % 8) & 1) != 0; }

}  // namespace

PlantedModel::PlantedModel(const SyntheticSettings& settings, std::uint64_t seed) : settings_(settings), seed_(seed) {
  const std::vector<Index> rows = synthetic_rows(settings);
  labels_.resize(std::max<std::size_t>(1, settings.labels.names.size()));
  weights_.resize(labels_.size());
  own_tables_.resize(labels_.size() - 1);
  for (std::size_t task = 0; task < labels_.size(); ++task) {
    const std::uint64_t own_seed = seed + task * 0x9e3779b97f4a7c15u;
    std::vector<PlantedTable>& tables = task == 0 ? tables_ : own_tables_[task - 1];
    for (std::size_t t = 0; t < rows.size(); ++t) tables.emplace_back(settings, own_seed, Index(t), rows[t]);
    const Random random(own_seed, Purpose::planted_model, 0);
    for (Index j = 0; j < settings.dense_features; ++j) weights_[task].push_back(random.normal(j, 0));
  }
  const std::vector<std::string> names = synthetic_features(settings);
  for (const std::string& feature : settings.pair)
    pair_.push_back(std::find(names.begin(), names.end(), feature) - names.begin());
  for (const std::string& feature : settings.sequence)
    sequence_.push_back(std::find(names.begin(), names.end(), feature) - names.begin());
  calibrate();
}

void PlantedModel::calibrate() {
  const std::vector<Index> samples = numbers({0, calibration_samples});
  std::vector<Logits> raw = raw_logits(PlantedStream::calibrate, samples, nullptr, nullptr);
  const double first_deviation = mean_and_deviation(raw[0]).second;
  for (std::size_t task = 0; task < labels_.size(); ++task) {
    Calibration& label = labels_[task];
    Logits z = raw[task];
    if (task > 0) {
      const double c = settings_.labels.correlation, own_deviation = mean_and_deviation(z).second;
      label.shared = first_deviation > 0 ? c / first_deviation : 0;
      label.own = own_deviation > 0 ? std::sqrt(1 - c * c) / own_deviation : 0;
      mix(label.shared, raw[0].data(), label.own, z.data(), calibration_samples);
    }
    const auto [mean, deviation] = mean_and_deviation(z);
    label.scale = deviation > 0 ? settings_.strength / deviation : 0;
    const double rate = settings_.labels.rates.empty() ? settings_.click_rate : settings_.labels.rates[task];
    label.bias = bias_of(z, label.scale, -60 - std::abs(label.scale * mean), rate);
  }
}

PlantedModel::~PlantedModel() = default;
Index PlantedModel::tables() const { return std::ssize(tables_); }

void PlantedModel::dense(PlantedStream stream, Index sample, float* x) const {
  const Random random = sample_numbers(seed_, stream);
  const Index columns = settings_.dense_features;
  constexpr Index quads = 8;  // quads per pass
  for (Index j = 0; j < columns; j += 4 * quads) {
    const Index count = std::min(columns - j, 4 * quads);
    std::array<std::uint32_t, 4 * quads> bits;
    std::array<float, 4 * quads> normal;
    for (Index i = 0; i < count; i += 4) {
      const auto q = random.quad(sample, dense_quad + (j + i) / 4);
      std::copy(q.begin(), q.end(), bits.begin() + i);
    }
    box_muller(bits.data(), (count + 1) / 2, normal.data());
    std::copy_n(normal.begin(), count, x + j);
  }
}

std::vector<PlantedModel::Logits> PlantedModel::raw_logits(PlantedStream stream, std::span<const Index> samples,
                                                           const RankMask* mask, Batch* batch) const {
  const auto size = std::ssize(samples);
  const std::size_t tasks = labels_.size();
  std::vector<Logits> z(tasks, Logits(samples.size(), 0.0));
  std::vector<float> x(settings_.dense_features);
  for (Index b = 0; b < size; ++b) {
    dense(stream, samples[b], x.data());
    for (std::size_t task = 0; task < tasks; ++task)
      for (std::size_t j = 0; j < x.size(); ++j) z[task][b] = std::fma(weights_[task][j], double(x[j]), z[task][b]);
    for (std::size_t j = 0; batch != nullptr && j < x.size(); ++j) batch->dense(b, j) = x[j];
  }
  RankBags bags;
  std::vector<float> effects;
  std::vector<Index> pair_ranks[2];  // frequency ranks of the pair's rows
  RankBags items[2];                 // bags of the sequence
  Index total = 0;                   // number of ids
  if (batch != nullptr) {
    for (const PlantedTable& table : tables_) total += table.max_ids() * size;
    reserve_values(*batch, std::exchange(total, 0), false);
  }
  for (Index t = 0; t < tables(); ++t) {
    const PlantedTable& table = tables_[t];
    table.draw(stream, samples, bags);
    for (std::size_t side = 0; side < pair_.size(); ++side)
      if (pair_[side] == t) pair_ranks[side] = bags.ranks;
    for (std::size_t side = 0; side < sequence_.size(); ++side)
      if (sequence_[side] == t) items[side] = bags;
    effects.resize(bags.ranks.size());
    for (std::size_t task = 0; task < tasks; ++task) {
      effects_of(task, t).effects(bags.ranks, effects.data());
      for (Index b = 0; b < size; ++b) {
        const Index begin = bags.offsets[b], end = bags.offsets[b + 1];
        double effect = 0;
        for (Index i = begin; i < end; ++i)
          if (mask == nullptr || has((*mask)[t], bags.ranks[i])) effect += effects[i];
        if (end > begin) z[task][b] += effect / double(end - begin);
      }
    }
    if (batch == nullptr) continue;
    for (Index b = 0; b < size; ++b) batch->sparse.offsets(t * size + b) = total + bags.offsets[b];
    for (const Index rank : bags.ranks) batch->sparse.values(total++) = table.row(rank);
  }
  if (!pair_.empty()) pair_logits(pair_ranks, mask, z[0]);
  if (!sequence_.empty()) sequence_logits(items[0].ranks, items[1], mask, z[0]);
  if (batch != nullptr) batch->sparse.offsets(tables() * size) = total;
  return z;
}

/// Adds the pair's term of each sample to its logit.
void PlantedModel::pair_logits(const std::vector<Index> (&ranks)[2], const RankMask* mask, Logits& z) const {
  const double factor = pair_factor();
  std::vector<float> vector(settings_.pair_rank);
  for (std::size_t b = 0; b < z.size(); ++b) {
    const Index query = ranks[0][b], item = ranks[1][b];
    if (mask != nullptr && !(has((*mask)[pair_[0]], query) && has((*mask)[pair_[1]], item))) continue;
    tables_[pair_[0]].latents(query, vector);
    z[b] += factor * tables_[pair_[1]].inner_product(vector, item);
  }
}

/// Adds the sequence's term of each sample to its logit.
void PlantedModel::sequence_logits(const std::vector<Index>& items, const RankBags& before, const RankMask* mask,
                                   Logits& z) const {
  double squares = 0, weight = 1;
  for (Index i = 0; i < tables_[sequence_[1]].max_ids(); ++i, weight *= sequence_decay) squares += weight * weight;
  const double factor = settings_.sequence_strength / std::sqrt(double(settings_.pair_rank) * squares);
  // A row's vector is learned from the samples of which it is the item, and of those after it. Each of the two counts
  // must reach the limit alone, so the restricted truth is a little too strict.
  const auto known = [&](Index rank) {
    return mask == nullptr || has((*mask)[sequence_[0]], rank) || has((*mask)[sequence_[1]], rank);
  };
  const PlantedTable& table = tables_[sequence_[0]];
  std::vector<float> vector(settings_.pair_rank);
  for (std::size_t b = 0; b < z.size(); ++b) {
    if (!known(items[b])) continue;
    table.latents(items[b], vector);
    double sum = 0;
    weight = 1;
    for (Index i = before.offsets[b + 1]; i-- > before.offsets[b]; weight *= sequence_decay)
      if (known(before.ranks[i])) sum = std::fma(weight, table.inner_product(vector, before.ranks[i]), sum);
    z[b] += factor * sum;
  }
}

std::vector<double> PlantedModel::mixed(const std::vector<Logits>& raw) const {
  const std::size_t tasks = labels_.size(), size = raw[0].size();
  std::vector<double> all(size * tasks);
  for (std::size_t task = 0; task < tasks; ++task) {
    const Calibration& label = labels_[task];
    Logits z = raw[task];
    if (task > 0) mix(label.shared, raw[0].data(), label.own, z.data(), std::ssize(z));
    to_probabilities(label.bias, label.scale, z.data(), std::ssize(z));
    for (std::size_t b = 0; b < size; ++b) all[b * tasks + task] = z[b];
  }
  return all;
}

/// Returns the table with the effects for a label.
const PlantedTable& PlantedModel::effects_of(std::size_t task, std::size_t table) const {
  return task == 0 ? tables_[table] : own_tables_[task - 1][table];
}

double PlantedModel::pair_factor() const { return settings_.pair_strength / std::sqrt(double(settings_.pair_rank)); }

void PlantedModel::towers(PlantedStream stream, std::span<const Index> samples, std::vector<float>& queries,
                          std::vector<float>& items) const {
  RankBags bags;
  const auto factor = float(pair_factor());
  for (std::size_t side = 0; side < pair_.size(); ++side) {
    const PlantedTable& table = tables_[pair_[side]];
    table.draw(stream, samples, bags);
    std::vector<float> effects(bags.ranks.size());
    table.effects(bags.ranks, effects.data());
    for (std::size_t i = 0; i < bags.ranks.size(); ++i) {
      const Index rank = bags.ranks[i];
      std::vector<float>& to = side == 0 ? queries : items;
      for (Index j = 0; j < settings_.pair_rank; ++j) to.push_back((side == 0 ? 1.0f : factor) * table.latent(rank, j));
      to.push_back(side == 0 ? 1.0f : effects[i]);
    }
  }
}

/// Draws the labels [T] of a sample from their probabilities, each given that the label before it is 1 in a funnel.
void PlantedModel::draw_labels(PlantedStream stream, Index sample, const double* probabilities, float* labels) const {
  bool before = true;
  for (std::size_t task = 0; task < labels_.size(); ++task) {
    const Random random = sample_numbers(seed_, stream, task);
    const bool drawn = random.uniform53(sample, 2 * label_quad) < probabilities[task];
    const bool lacks = task > 0 && random.uniform53(sample, 1) < settings_.labels.missing;
    before = drawn && (before || !settings_.labels.funnel);
    labels[task] = lacks ? std::numeric_limits<float>::quiet_NaN() : float(before);
  }
}

void PlantedModel::fill(PlantedStream stream, std::span<const Index> samples, Index global_size, Batch& batch) const {
  const Index tasks = std::ssize(labels_), size = std::ssize(samples);
  reserve_batch(batch, size, global_size, settings_.dense_features, synthetic_features(settings_), tasks);
  const std::vector<double> p = mixed(raw_logits(stream, samples, nullptr, &batch));
  for (Index b = 0; b < size; ++b)
    draw_labels(stream, samples[b], p.data() + b * tasks, batch.labels.data() + b * tasks);
}

std::vector<double> PlantedModel::probabilities(PlantedStream stream, std::span<const Index> samples,
                                                const RankMask* mask, std::vector<float>* labels) const {
  const std::size_t tasks = labels_.size();
  std::vector<double> p = mixed(raw_logits(stream, samples, mask, nullptr));
  std::vector<float> drawn(tasks);
  for (std::size_t b = 0; labels != nullptr && b < samples.size(); ++b) {
    draw_labels(stream, samples[b], p.data() + b * tasks, drawn.data());
    labels->insert(labels->end(), drawn.begin(), drawn.end());
  }
  for (std::size_t i = 0; settings_.labels.funnel && i < p.size(); ++i)
    if (i % tasks > 0) p[i] *= p[i - 1];
  return p;
}

std::vector<std::uint8_t> PlantedModel::ranks_seen(Index table, Index samples, Index at_least) const {
  assert(0 < at_least && at_least <= 255);
  const Index rows = tables_[table].rows();
  std::vector<std::uint8_t> counts(rows, 0);
  RankBags bags;
  for (Index first = 0; first < samples; first += planted_block) {
    tables_[table].draw(PlantedStream::train, numbers({first, std::min(first + planted_block, samples)}), bags);
    for (const Index rank : bags.ranks) counts[rank] += counts[rank] < at_least;
  }
  std::vector<std::uint8_t> mask((rows + 7) / 8, 0);
  for (Index rank = 0; rank < rows; ++rank)
    if (counts[rank] >= at_least) mask[rank / 8] |= 1 << rank % 8;
  return mask;
}

}  // namespace tesserec::data
