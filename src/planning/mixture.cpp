// SPDX-License-Identifier: Apache-2.0
#include "mixture.hpp"

#include <algorithm>
#include <numeric>

namespace tesserec::planning {

double Mixture::work() const { return 1 - std::accumulate(counts.begin(), counts.end(), 0.0); }

Mixture Mixture::counting() const {
  Mixture next = *this;
  std::fill(next.counts.begin() + DualFunction::counting, next.counts.end(), 0);
  return next;
}

Mixture Mixture::moved(std::size_t place, double step) const {
  Mixture next = *this;
  if (place == counts.size()) {
    next.each = std::max(0.0, each + each_scale * step);
    return next;
  }
  double& share = next.counts[place];
  const double others = 1 - work() - share;
  share = std::clamp(share + step, 0.0, 1.0);
  if (const double most = 1 - share; others > most)
    for (double& other : next.counts)
      if (&other != &share) other *= most / others;
  return next;
}

}  // namespace tesserec::planning
