// SPDX-License-Identifier: Apache-2.0
/// Steps along gradients to a mixture whose value is above 0: of Polyak's length (USSR Comput. Math. Math. Phys. 9,
/// 1969), as if the greatest value were a little above 0, in the direction of Camerini, Fratta and Maffioli (Math.
/// Program. Study 3, 1975), which keeps what the last one had across it.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "mixture.hpp"

namespace tesserec::planning {

/// A mixture as a point, or its gradient: the counts, and the price of what tables cost every rank in its own scale.
class MixturePoint {
 public:
  explicit MixturePoint(const Mixture& mixture, double scale) : values_{} {
    std::copy(mixture.counts.begin(), mixture.counts.end(), values_.begin());
    values_.back() = mixture.each * scale;
  }
  static MixturePoint at(const Mixture& mixture) { return MixturePoint(mixture, 1 / Mixture::each_scale); }
  static MixturePoint gradient(const Mixture& gradient) { return MixturePoint(gradient, Mixture::each_scale); }

  Mixture mixture() const {
    Mixture mixture;
    std::copy(values_.begin(), values_.end() - 1, mixture.counts.begin());
    mixture.each = values_.back() * Mixture::each_scale;
    return mixture;
  }
  double times(const MixturePoint& other) const {
    return std::inner_product(values_.begin(), values_.end(), other.values_.begin(), 0.0);
  }
  void add(double times, const MixturePoint& other) {
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] += times * other.values_[i];
  }
  /// Without what would lead below 0 from there.
  MixturePoint inwards(const MixturePoint& from) const {
    MixturePoint next = *this;
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (from.values_[i] <= 0 && next.values_[i] < 0) next.values_[i] = 0;
    return next;
  }
  /// To the nearest whose prices are not negative and whose counts are at most 1 together.
  void project() {
    constexpr double most_each = 10;
    values_.back() = std::clamp(values_.back(), 0.0, most_each / Mixture::each_scale);
    for (auto i = values_.begin(); i != values_.end() - 1; ++i) *i = std::max(0.0, *i);
    for (double above = 1; above > 1e-12;) {
      const auto end = values_.end() - 1;
      above = std::accumulate(values_.begin(), end, 0.0) - 1;
      const auto some = double(std::count_if(values_.begin(), end, [](double value) { return value > 0; }));
      if (above > 0)
        for (auto i = values_.begin(); i != end; ++i)
          if (*i > 0) *i = std::max(0.0, *i - above / some);
    }
  }

 private:
  std::array<double, std::tuple_size_v<DualShares> + 1> values_;
};

/// `value(mixture, gradient)`; whether it is above 0 at `mixture` afterwards, else that is the best of all. Each
/// evaluation is taken off; gives up after several without progress.
template <class Value>
bool ascend(Mixture& mixture, const Value& value, int& evaluations) {
  constexpr int patience = 15, halve_after = 4;
  constexpr double progress = 0.05, deflection = 1.5;
  double above = 0.02, best = -std::numeric_limits<double>::infinity();  // the value aimed at
  MixturePoint point = MixturePoint::at(mixture);
  MixturePoint direction = MixturePoint::at({0, {}});
  for (int idle = 0; evaluations > 0 && idle < patience; --evaluations) {
    Mixture slope;
    const Mixture here = point.mixture();
    const double found = value(here, slope);
    idle = found > best + progress * above ? 0 : idle + 1;
    if (found > best) {
      best = found;
      mixture = here;
    }
    if (best > 0) {
      --evaluations;
      return true;
    }
    if (idle > 0 && idle % halve_after == 0) above *= 0.5;
    MixturePoint next = MixturePoint::gradient(slope);
    const double last = direction.times(direction);
    if (last > 0) next.add(std::max(0.0, -deflection * next.times(direction) / last), direction);
    direction = next;
    const MixturePoint inwards = direction.inwards(point);
    const double length = inwards.times(inwards);
    if (length <= 0) return false;
    point.add((above - found) / length, inwards);
    point.project();
  }
  return false;
}

}  // namespace tesserec::planning
