// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dual_function.hpp"

namespace tesserec::planning {

/// Prices: of what tables cost every rank, of pieces by their counts, and the rest of 1 of a second of their work.
struct Mixture {
  static constexpr std::size_t places = std::tuple_size_v<DualShares> + 1;
  static constexpr double each_scale = 4;  ///< a step of `each` beside one of a count

  double each = 1;
  DualShares counts{};
  double work() const;
  /// Without the shares of functions that leave small numbers out: work has them.
  Mixture counting() const;
  /// With one price a step higher, the last one that of what tables cost every rank.
  Mixture moved(std::size_t place, double step) const;
};

}  // namespace tesserec::planning
