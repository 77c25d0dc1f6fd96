// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "dual_function.hpp"

namespace tesserec::planning {

/// Prices: of what tables cost every rank, of pieces by their counts, and the rest of 1 of a second of their work.
struct Mixture {
  double each = 1;
  DualShares counts{};
  double work() const;
};

/// Climbs, price by price, until `value` is above 0, which is returned, or no step is higher, for at most so many
/// `evaluations`, which are taken off.
bool climb(Mixture& mixture, const std::function<double(const Mixture&)>& value, int& evaluations);

}  // namespace tesserec::planning
