// SPDX-License-Identifier: Apache-2.0
#include "dual_function.hpp"

namespace tesserec::planning {

DualFunction::DualFunction(const DualShares& shares) {
  for (int i = 1; i <= grid; ++i)
    for (std::size_t k = 1; k <= shares.size(); ++k) image_[i] += shares[k - 1] * image(i, int(k));
}

DualShares DualFunction::all(double x) {
  DualShares values{};
  if (const auto i = int(step(x)); i > 0)
    for (std::size_t k = 1; k <= values.size(); ++k) values[k - 1] = image(i, int(k));
  return values;
}

}  // namespace tesserec::planning
