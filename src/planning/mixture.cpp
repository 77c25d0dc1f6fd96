// SPDX-License-Identifier: Apache-2.0
#include "mixture.hpp"

#include <algorithm>
#include <numeric>

namespace tesserec::planning {
namespace {

constexpr double first_step = 0.1, last_step = 0.02, each_scale = 4;
constexpr std::size_t places = std::tuple_size_v<DualShares> + 1;

/// The last place is the price of what tables cost every rank.
Mixture moved(Mixture mixture, std::size_t place, double step) {
  if (place == mixture.counts.size()) {
    mixture.each = std::max(0.0, mixture.each + each_scale * step);
    return mixture;
  }
  double& share = mixture.counts[place];
  const double others = 1 - mixture.work() - share;
  share = std::clamp(share + step, 0.0, 1.0);
  if (const double most = 1 - share; others > most)
    for (double& other : mixture.counts)
      if (&other != &share) other *= most / others;
  return mixture;
}

}  // namespace

double Mixture::work() const { return 1 - std::accumulate(counts.begin(), counts.end(), 0.0); }

bool climb(Mixture& mixture, const std::function<double(const Mixture&)>& value, int& evaluations) {
  double best = value(mixture);
  --evaluations;
  std::array<double, places> step;
  step.fill(first_step);
  for (bool moving = true; best <= 0 && moving;) {
    moving = false;
    for (std::size_t place = 0; place < places && best <= 0; ++place) {
      if (std::abs(step[place]) < last_step) continue;
      if (evaluations <= 0) return false;
      moving = true;
      const Mixture next = moved(mixture, place, step[place]);
      const double found = value(next);
      --evaluations;
      if (found > best)
        best = found, mixture = next, step[place] *= 1.5;
      else
        step[place] *= -0.5;
    }
  }
  return best > 0;
}

}  // namespace tesserec::planning
