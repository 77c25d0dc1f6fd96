// SPDX-License-Identifier: Apache-2.0
// Sums that do not depend on the order of their terms. Each term is truncated once to a multiple of 2^-80, then
// integers are added.
#pragma once

#include <tesserec/comm/communicator.hpp>

namespace tesserec::metrics {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Unsigned128;

/// Sum of doubles, below 2^47 in magnitude.
class FixedPoint {
 public:
  FixedPoint() = default;
  explicit FixedPoint(Int128 units) : units_(units) {}
  void add(double value) { units_ += Int128(value * 0x1p80); }
  Int128 units() const { return units_; }
  /// Returns the double nearest to the sum (within one unit in the last place).
  double value() const { return double(units_) * 0x1p-80; }

 private:
  Int128 units_ = 0;
};

/// Sums values over ranks, element by element, modulo 2^128. Collective.
inline void sum(const comm::Communicator& comm, std::span<Unsigned128> values) {
  std::vector<std::uint64_t> halves;
  for (const Unsigned128 value : values) {
    halves.push_back(std::uint64_t(value >> 64));
    halves.push_back(std::uint64_t(value));
  }
  const std::vector<std::uint64_t> all = comm.all_gather_equal(std::span<const std::uint64_t>(halves));
  for (Unsigned128& value : values) value = 0;
  for (std::size_t i = 0; i < all.size(); i += 2)
    values[i / 2 % values.size()] += (static_cast<Unsigned128>(all[i]) << 64) + all[i + 1];
}

inline Unsigned128 sum(const comm::Communicator& comm, Unsigned128 local) {
  sum(comm, std::span<Unsigned128>(&local, 1));
  return local;
}

inline FixedPoint sum(const comm::Communicator& comm, const FixedPoint& local) {
  return FixedPoint(Int128(sum(comm, static_cast<Unsigned128>(local.units()))));
}

}  // namespace tesserec::metrics
