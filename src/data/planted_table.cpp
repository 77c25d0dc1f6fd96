// SPDX-License-Identifier: Apache-2.0
#include "planted_table.hpp"

#include <bit>
#include <cmath>
#include <numeric>

namespace tesserec::data {

std::vector<Index> numbers(Range range) {
  std::vector<Index> all(range.size());
  std::iota(all.begin(), all.end(), range.begin);
  return all;
}

PlantedTable::PlantedTable(const SyntheticSettings& settings, std::uint64_t seed, Index table, Index rows)
    : rows_(rows),
      bag_(bag_length(settings, table)),
      zipf_(rows, zipf_exponent(settings)),
      effects_(seed, Purpose::planted_model, std::uint64_t(table) + 1) {
  for (std::uint64_t stream = 0; stream < 3; ++stream)
    samples_.emplace_back(seed, Purpose::planted_samples, stream << 32 | (std::uint64_t(table) + 1));
  const int bits = std::bit_width(std::uint64_t(rows - 1));
  mask_ = (std::uint64_t{1} << bits) - 1;
  shift_ = std::max(1, (bits + 1) / 2);
  const Random keys(seed, Purpose::planted_model,
                    std::uint64_t{1} << 32 | (item_feature(settings, std::size_t(table)) + 1));
  const auto q = keys.quad(0, 0), r = keys.quad(0, 1);
  for (int i = 0; i < 3; ++i) odd_[i] = (std::uint64_t{q[i]} << 32 | r[i]) | 1;
  std::vector<Index> hot(zipf_.hot());
  std::iota(hot.begin(), hot.end(), Index{0});
  for (const Index rank : hot) hot_row_.push_back(scatter(rank));
  std::vector<float> effects(hot.size());
  this->effects(hot, effects.data());
  hot_effect_ = std::move(effects);
}

Index PlantedTable::scatter(Index rank) const {
  // Each step is a bijection of [0, 2^n): a product with an odd number, a sum, and an xor of the high half onto the low
  // half. Repeating all steps until the result is below `rows` gives a bijection of [0, rows). Two rounds suffice on
  // average, since 2^n < 2 * rows.
  std::uint64_t x = rank;
  do {
    for (const std::uint64_t odd : odd_) {
      x = (x * odd + (odd >> 32)) & mask_;
      x ^= x >> shift_;
    }
  } while (x >= std::uint64_t(rows_));
  return Index(x);
}

float PlantedTable::effect_number(Index rank, Index column) const {
  return effects_.normal(rank, column) / std::sqrt(1.0f + float(rank) / 1000.0f);
}

double PlantedTable::inner_product(std::span<const float> vector, Index rank) const {
  double sum = 0;
  for (std::size_t j = 0; j < vector.size(); ++j)
    sum = std::fma(double(vector[j]), double(latent(rank, Index(j))), sum);
  return sum;
}

void PlantedTable::effects(std::span<const Index> ranks, float* out) const {
  const auto hot = std::ssize(hot_effect_);
  constexpr Index block_ranks = 512;  // ranks per pass
  Index cold[block_ranks], place[block_ranks], first_quad[block_ranks] = {};
  std::uint32_t quads[4 * block_ranks], bits[2 * block_ranks];
  float normals[2 * block_ranks];
  for (Index i = 0; i < std::ssize(ranks);) {
    Index n = 0;
    for (; i < std::ssize(ranks) && n < block_ranks; ++i) {
      cold[n] = ranks[i];
      place[n] = i;
      if (ranks[i] < hot) out[i] = hot_effect_[ranks[i]];
      n += ranks[i] >= hot;
    }
    effects_.quads({cold, std::size_t(n)}, {first_quad, std::size_t(n)}, quads);
    for (Index c = 0; c < n; ++c) {
      bits[2 * c] = quads[4 * c];
      bits[2 * c + 1] = quads[4 * c + 1];
    }
    box_muller(bits, n, normals);
    for (Index c = 0; c < n; ++c) out[place[c]] = normals[2 * c] / std::sqrt(1.0f + float(cold[c]) / 1000.0f);
  }
}

void PlantedTable::draw(PlantedStream stream, std::span<const Index> samples, RankBags& bags) const {
  const Random& random = samples_[std::size_t(stream)];
  bags.offsets.assign(1, 0);
  bags.rows.clear();
  bags.firsts.clear();
  for (const Index sample : samples) {
    // Counter 0 draws the length, counters 1 to bag_.max_ids the ids, and higher counters replace rejected draws.
    const Index length = bag_.variable ? Index(random.below(std::uint64_t(bag_.max_ids) + 1, sample, 0)) : bag_.max_ids;
    for (Index i = 0; i < length; ++i) {
      bags.rows.push_back(sample);
      bags.firsts.push_back(1 + i);
    }
    bags.offsets.push_back(std::ssize(bags.rows));
  }
  bags.ranks.resize(bags.rows.size());
  zipf_.draw(random, bags.rows, bags.firsts, bag_.max_ids, bags.ranks.data());
}

}  // namespace tesserec::data
