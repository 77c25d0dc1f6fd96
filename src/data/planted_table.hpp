// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "zipf.hpp"
#include <tesserec/data/synthetic.hpp>

namespace tesserec::data {

/// The samples of a generator's streams never meet.
enum class PlantedStream : std::uint64_t { train = 0, evaluate = 1, calibrate = 2 };

/// Samples that are drawn at once.
inline constexpr Index planted_piece = 8192;
/// The numbers of `range`, ascending.
std::vector<Index> numbers(Range range);

/// Bags of one table for some samples: frequency ranks. Used again table after table.
struct RankBags {
  std::vector<Index> offsets;  ///< samples + 1, from 0
  std::vector<Index> ranks;
  std::vector<Index> rows, firsts;  ///< the counters they were drawn from
};

/// One table of a planted model: how often its rows come, where they lie, what they do.
class PlantedTable {
 public:
  PlantedTable(const SyntheticSettings& settings, std::uint64_t seed, Index table, Index rows);

  Index rows() const { return rows_; }
  /// Returns the most ids of a bag.
  Index most_ids() const { return bag_.most; }
  /// Bags of samples, each a function of (seed, stream, table, sample).
  void draw(PlantedStream stream, std::span<const Index> samples, RankBags& bags) const;
  /// Row of a frequency rank: a fixed pseudo-random bijection of [0, rows), so that hot rows are scattered.
  Index row(Index rank) const { return rank < zipf_.hot() ? hot_row_[rank] : scatter(rank); }
  /// Number of the most frequent ranks, whose rows are at hand, and the share that a rank has of the ids.
  Index hot() const { return zipf_.hot(); }
  double share(Index rank) const { return zipf_.probability(rank); }
  /// N(0, 1) / sqrt(1 + rank / 1000) of each.
  void effects(std::span<const Index> ranks, float* out) const;
  /// The same for number j of a row's vector in a pair.
  float latent(Index rank, Index j) const { return plant(rank, 1 + j); }

 private:
  Index scatter(Index rank) const;
  float plant(Index rank, Index column) const;

  Index rows_;
  BagLength bag_;
  Zipf zipf_;
  Random effects_;
  std::vector<Random> samples_;  ///< of each stream
  std::uint64_t mask_ = 0;       ///< smallest 2^n - 1 that holds rows - 1
  int shift_ = 1;
  std::uint64_t odd_[3] = {};
  std::vector<Index> hot_row_;
  std::vector<float> hot_effect_;
};

}  // namespace tesserec::data
