// SPDX-License-Identifier: Apache-2.0
/// Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011). A number is a function of (seed,
/// purpose, stream, row, column) alone, so that no rank, thread or order of calls can change it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <tesserec/core/index.hpp>
#include <tesserec/core/philox_rounds.hpp>

namespace tesserec {

/// Purpose of a draw; two purposes never share numbers.
enum class Purpose : std::uint32_t {
  table_weights = 1,
  dense_weights = 2,
  dense_biases = 3,
  block_order = 4,
  sample_order = 5,
  planted_model = 6,
  planted_samples = 7,
  reference_samples = 8,
  test = 9,
  dropout = 10,
  sweep_points = 11,
  row_rounding = 12,
  multi_hot = 13,
  trace = 14,
};

/// Applies the ten rounds to one counter.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// Computes two standard normal values from each pair of words by Box-Muller: bits [2 * pairs], normal [2 * pairs].
void box_muller(const std::uint32_t* bits, Index pairs, float* normal);

/// A table of random numbers with 2^64 rows and 2^34 columns, computed when they are read.
class Random {
 public:
  Random(std::uint64_t seed, Purpose purpose, std::uint64_t stream = 0);

  /// Returns the key of the counters. Column c of a row is word c % 4 of [row, row >> 32, c / 4, 0]
  /// (philox_rounds.hpp).
  std::array<std::uint32_t, 2> key() const { return key_; }

  /// Returns four 32-bit numbers: columns 4*quad to 4*quad+3 of a row.
  std::array<std::uint32_t, 4> quad(Index row, Index quad) const;
  /// Computes quad(rows[i], quads[i]) for all i: out [rows.size(), 4].
  void quads(std::span<const Index> rows, std::span<const Index> quads, std::uint32_t* out) const;
  std::uint32_t bits(Index row, Index column) const { return quad(row, column / 4)[column % 4]; }
  /// Returns a number uniform in [0, 1), of 24 bits.
  float uniform(Index row, Index column) const { return float(bits(row, column) >> 8) * 0x1p-24f; }
  /// Fills out [rows, columns] with uniform(row, column) scaled to [-bound, bound) with one rounding. `columns.begin`
  /// must be a multiple of 4.
  void fill_rows(Range rows, Range columns, float bound, float* out) const;
  /// Writes the same numbers of each row to its `out` [columns.size()]. `columns.begin` must be a multiple of 4.
  /// Allocates nothing.
  void fill_rows(std::span<const DrawnRow> rows, Range columns, float bound) const;
  /// Returns a number uniform in [0, 1), of 53 bits, from columns 2*column and 2*column+1.
  double uniform53(Index row, Index column) const;
  /// Returns a standard normal number (Box-Muller) from columns 2*column and 2*column+1.
  float normal(Index row, Index column) const;
  /// Returns an integer uniform in [0, bound), for any 64-bit bound, from columns 2*column and 2*column+1. The bias is
  /// below bound / 2^64.
  std::uint64_t below(std::uint64_t bound, Index row, Index column) const;

 private:
  std::array<std::uint32_t, 2> key_;
};

}  // namespace tesserec
