// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "zipf.hpp"
#include <tesserec/data/synthetic.hpp>

namespace tesserec::data {

/// Stream of a generator's samples. The streams are independent of each other.
enum class PlantedStream : std::uint64_t { train = 0, evaluate = 1, calibrate = 2 };

/// Number of samples that are drawn at once.
inline constexpr Index planted_block = 8192;
/// Returns the integers of `range`, ascending.
std::vector<Index> numbers(Range range);

/// Bags of one table as frequency ranks. Reused for all tables, which saves allocations.
struct RankBags {
  std::vector<Index> offsets;  ///< offsets of the bags in `ranks` [samples + 1], from 0
  std::vector<Index> ranks;
  std::vector<Index> rows, firsts;  ///< counters (row, first) from which each rank is drawn
};

/// Table of a planted model: frequencies, places and effects of its rows.
class PlantedTable {
 public:
  /// Takes the number of the table and its rows, and precomputes the rows and effects of the hot ranks.
  PlantedTable(const SyntheticSettings& settings, std::uint64_t seed, Index table, Index rows);

  Index rows() const { return rows_; }
  /// Returns the maximum number of ids in a bag.
  Index max_ids() const { return bag_.max_ids; }
  /// Draws the bags of the samples. Each bag is a function of (seed, stream, table, sample).
  void draw(PlantedStream stream, std::span<const Index> samples, RankBags& bags) const;
  /// Returns the row of a frequency rank by a fixed pseudo-random bijection of [0, rows), which scatters the hot rows.
  Index row(Index rank) const { return rank < zipf_.hot() ? hot_row_[rank] : scatter(rank); }
  /// Returns the number of hot ranks: the most frequent ones, whose rows and effects are precomputed.
  Index hot() const { return zipf_.hot(); }
  /// Returns the share of a rank among the ids.
  double share(Index rank) const { return zipf_.probability(rank); }
  /// Computes the effect N(0, 1) / sqrt(1 + rank / 1000) of each rank into `out`.
  void effects(std::span<const Index> ranks, float* out) const;
  /// Returns number j of a row's vector in the pair or the sequence, which is distributed like an effect.
  float latent(Index rank, Index j) const { return effect_number(rank, 1 + j); }
  /// Computes a row's vector into `out` [pair_rank].
  void latents(Index rank, std::span<float> out) const {
    for (std::size_t j = 0; j < out.size(); ++j) out[j] = latent(rank, Index(j));
  }
  /// Returns the inner product of a vector [pair_rank] and a row's.
  double inner_product(std::span<const float> vector, Index rank) const;

 private:
  Index scatter(Index rank) const;
  float effect_number(Index rank, Index column) const;

  Index rows_;
  BagLength bag_;
  Zipf zipf_;
  Random effects_;
  std::vector<Random> samples_;  ///< random numbers of each stream
  std::uint64_t mask_ = 0;       ///< smallest 2^n - 1 of at least rows - 1
  int shift_ = 1;
  std::uint64_t odd_[3] = {};
  std::vector<Index> hot_row_;
  std::vector<float> hot_effect_;
};

}  // namespace tesserec::data
