// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <tesserec/core/elementary.hpp>
#include <tesserec/data/batch.hpp>
#include <tesserec/data/reference.hpp>

namespace tesserec::data {
namespace {

/// Appends the ids of one bag, distinct and sorted.
void add_bag(Index rows, Index ids_per_bag, bool variable, UniformStream& uniform, std::vector<Index>& ids) {
  Index draws = ids_per_bag;
  if (variable) {
    const double max_draws = std::min(rows, ids_per_bag);
    draws = std::nearbyint(std::max(1.0, uniform.next() * max_draws));
  }
  const std::ptrdiff_t first = ids.size();
  for (Index i = 0; i < draws; ++i) ids.push_back(std::nearbyint(uniform.next() * double(rows - 1)));
  std::sort(ids.begin() + first, ids.end());
  ids.erase(std::unique(ids.begin() + first, ids.end()), ids.end());
}

/// Returns the length of the interval of u * max_draws, in [0, max_draws), in which a bag has this number of draws:
/// rounding adds half a unit to one draw and takes half a unit from `max_draws`.
double interval_of_draws(Index draws, Index max_draws) {
  if (max_draws == 1) return 1.0;
  if (draws == 1) return 1.5;
  return draws == max_draws ? 0.5 : 1.0;
}

}  // namespace

double reference_ids_per_bag(Index rows, Index ids_per_bag, bool variable) {
  const Index max_draws = std::min(rows, ids_per_bag);
  const double n = rows;
  const auto distinct = [&](Index draws) {
    return rows == 1 ? 1.0 : -n * elementary::expm1(double(draws) * elementary::log1p(-1 / n));
  };
  if (!variable) return distinct(ids_per_bag);
  double sum = 0;
  for (Index draws = 1; draws <= max_draws; ++draws) {
    const double share = interval_of_draws(draws, max_draws) / double(max_draws);
    sum += share * distinct(draws);
  }
  return sum;
}

CounterStream::CounterStream(std::uint64_t seed, Index features) {
  for (Index stream = 0; stream < features + 2; ++stream)
    streams_.emplace_back(seed, Purpose::reference_samples, std::uint64_t(stream));
}

void CounterStream::start(Index sample, Index stream) {
  sample_ = sample;
  stream_ = stream;
  drawn_ = 0;
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

void reference_batch(const SyntheticSettings& settings, const std::vector<Index>& rows,
                     const std::vector<std::string>& features, std::span<const Index> samples, Index global_size,
                     UniformStream& uniform, Batch& batch) {
  const auto size = std::ssize(samples);
  reserve_batch(batch, size, global_size, settings.dense_features, features);
  for (Index b = 0; b < size; ++b) {
    uniform.dense_of(samples[b]);
    for (Index k = 0; k < settings.dense_features; ++k) batch.dense(b, k) = uniform.next();
  }
  std::vector<Index> ids;
  Index bag = 0;
  batch.sparse.offsets(0) = 0;
  for (std::size_t f = 0; f < rows.size(); ++f)
    for (const Index sample : samples) {
      uniform.bag_of(sample, Index(f));
      add_bag(rows[f], settings.ids_per_bag, settings.variable_bags.value_or(true), uniform, ids);
      batch.sparse.offsets(++bag) = std::ssize(ids);
    }
  reserve_values(batch, std::ssize(ids), false);
  std::copy(ids.begin(), ids.end(), batch.sparse.values.data());
  for (Index b = 0; b < size; ++b) {
    uniform.target_of(samples[b]);
    const float target = uniform.next();
    batch.labels(b) = settings.round_targets ? std::nearbyint(target) : target;
  }
}

}  // namespace tesserec::data
