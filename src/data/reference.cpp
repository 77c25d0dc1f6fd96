// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "reference_ids.hpp"
#include <tesserec/core/elementary.hpp>
#include <tesserec/data/batch.hpp>
#include <tesserec/data/reference.hpp>
#include <tesserec/data/synthetic.hpp>

namespace tesserec::data {
namespace {

/// Returns the number of draws of a bag.
Index draws_of_bag(Index rows, Index ids_per_bag, bool variable, UniformStream& uniform) {
  if (!variable) return ids_per_bag;
  return Index(std::nearbyint(std::max(1.0, uniform.next() * double(std::min(rows, ids_per_bag)))));
}

/// Returns the length of the interval of u * max_draws, in [0, max_draws), in which a bag has this number of draws:
/// rounding adds half a unit to one draw and takes half a unit from `max_draws`.
double interval_of_draws(Index draws, Index max_draws) {
  if (max_draws == 1) return 1.0;
  if (draws == 1) return 1.5;
  return draws == max_draws ? 0.5 : 1.0;
}

}  // namespace

double UniformStream::normal() {
  if (second_) return *std::exchange(second_, std::nullopt);
  double x = 0, y = 0, square = 0;
  do {
    x = 2 * next() - 1;
    y = 2 * next() - 1;
    square = x * x + y * y;
  } while (square >= 1 || square == 0);
  const double factor = std::sqrt(-2 * elementary::log(square) / square);
  second_ = factor * x;
  return factor * y;
}

CounterStream::CounterStream(std::uint64_t seed, Index features) {
  for (Index stream = 0; stream < features + 2; ++stream)
    streams_.emplace_back(seed, Purpose::reference_samples, std::uint64_t(stream));
}

void CounterStream::start(Index sample, Index stream) {
  sample_ = sample;
  stream_ = stream;
  drawn_ = 0;
  drop_pair();
}

double CounterStream::next() {
  if (drawn_ % 2 == 0) quad_ = streams_[stream_].quad(sample_, drawn_ / 2);
  const int i = int(drawn_++ % 2) * 2;
  return double((std::uint64_t{quad_[i]} << 32 | quad_[i + 1]) >> 11) * 0x1p-53;
}

double Mt19937Stream::next() {
  const double high = twister_() >> 5, low = twister_() >> 6;
  return (high * 0x1p26 + low) * 0x1p-53;
}

void draw_dense(std::span<const Index> samples, UniformStream& uniform, Batch& batch) {
  const Index columns = batch.dense.extent(1);
  for (Index b = 0; b < std::ssize(samples); ++b) {
    uniform.dense_of(samples[b]);
    for (Index k = 0; k < columns; ++k) batch.dense(b, k) = uniform.next();
  }
}

void draw_targets(std::span<const Index> samples, bool round, UniformStream& uniform, Batch& batch) {
  for (Index b = 0; b < std::ssize(samples); ++b) {
    uniform.target_of(samples[b]);
    const float target = uniform.next();
    batch.labels(b) = round ? std::nearbyint(target) : target;
  }
}

ReferenceGenerator::ReferenceGenerator(const SyntheticSettings& settings)
    : settings_(settings), features_(synthetic_features(settings)) {
  for (const Index rows : synthetic_rows(settings)) tables_.emplace_back(settings, rows);
}

ReferenceGenerator::~ReferenceGenerator() = default;
ReferenceGenerator::ReferenceGenerator(ReferenceGenerator&&) noexcept = default;

double ReferenceGenerator::ids_per_bag(std::size_t feature) const {
  const ReferenceIds& table = tables_[feature];
  if (!settings_.variable_bags.value_or(true)) return table.mean_length(settings_.ids_per_bag);
  const Index max_draws = std::min(table.rows(), settings_.ids_per_bag);
  double sum = 0;
  for (Index draws = 1; draws <= max_draws; ++draws)
    sum += interval_of_draws(draws, max_draws) / double(max_draws) * table.mean_length(draws);
  return sum;
}

void ReferenceGenerator::fill(std::span<const Index> samples, Index global_size, UniformStream& uniform,
                              Batch& batch) const {
  const auto size = std::ssize(samples);
  reserve_batch(batch, size, global_size, settings_.dense_features, features_);
  draw_dense(samples, uniform, batch);
  std::vector<Index> ids;
  Index bag = 0;
  batch.sparse.offsets(0) = 0;
  for (std::size_t f = 0; f < tables_.size(); ++f)
    for (const Index sample : samples) {
      uniform.bag_of(sample, Index(f));
      const Index draws =
          draws_of_bag(tables_[f].rows(), settings_.ids_per_bag, settings_.variable_bags.value_or(true), uniform);
      tables_[f].add_bag(draws, uniform, ids);
      batch.sparse.offsets(++bag) = std::ssize(ids);
    }
  reserve_values(batch, std::ssize(ids), false);
  std::copy(ids.begin(), ids.end(), batch.sparse.values.data());
  draw_targets(samples, settings_.round_targets, uniform, batch);
}

}  // namespace tesserec::data
