// SPDX-License-Identifier: Apache-2.0
// Sums whose order does not matter: each number is rounded once to a multiple of 2^-80, then integers are
// added.
#pragma once

#include <cmath>

#include <tesserec/comm/communicator.hpp>

namespace tesserec::metrics {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Unsigned128;

/// Holds 2^40 numbers below 64 in magnitude.
class FixedPoint {
 public:
  void add(double value) { units_ += Int128(value * 0x1p80); }
  Int128 units() const { return units_; }
  /// The sum's nearest double (within one unit in the last place).
  static double to_double(Int128 units) { return double(units) * 0x1p-80; }

 private:
  Int128 units_ = 0;
};

/// Collective: the sum over ranks, modulo 2^128.
inline Unsigned128 sum(const comm::Communicator& comm, Unsigned128 mine) {
  const std::uint64_t halves[2] = {std::uint64_t(mine >> 64), std::uint64_t(mine)};
  const std::vector<std::uint64_t> all = comm.all_gather_equal(std::span<const std::uint64_t>(halves));
  Unsigned128 total = 0;
  for (std::size_t i = 0; i < all.size(); i += 2) total += (static_cast<Unsigned128>(all[i]) << 64) + all[i + 1];
  return total;
}

inline double sum(const comm::Communicator& comm, const FixedPoint& mine) {
  return FixedPoint::to_double(Int128(sum(comm, static_cast<Unsigned128>(mine.units()))));
}

}  // namespace tesserec::metrics
