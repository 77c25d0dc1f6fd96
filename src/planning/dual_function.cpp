// SPDX-License-Identifier: Apache-2.0
#include "dual_function.hpp"

namespace tesserec::planning {

DualFunction::DualFunction(const DualShares& shares) {
  for (int i = 1; i <= grid; ++i)
    for (std::size_t k = 1; k <= shares.size(); ++k)
      image_[i] += shares[k - 1] * double((int(k) + 1) * (i - 1) / grid) / double(k);
}

}  // namespace tesserec::planning
