// SPDX-License-Identifier: Apache-2.0
#include "dual_function.hpp"

namespace tesserec::planning {

/// A step's image is of the numbers above the step before.
auto DualFunction::make_images() -> std::array<Images, std::tuple_size_v<DualShares>> {
  constexpr std::array small{12, 24, 48, 80};  // e, in steps
  static_assert(counting + small.size() == std::tuple_size_v<DualShares>);
  std::array<Images, std::tuple_size_v<DualShares>> images{};
  for (int step = 1; step <= grid; ++step) {
    for (int k = 1; k <= counting; ++k) images[k - 1][step] = double((k + 1) * (step - 1) / grid) / k;
    // Up to a half rounded down, above it up: dual feasible too, and so is one such function after another.
    const int rounded = 2 * step > grid ? step : step - 1;
    for (std::size_t i = 0; i < small.size(); ++i) {
      double& image = images[counting + i][step];
      if (rounded < small[i])
        image = 0;
      else
        image = rounded > grid - small[i] ? 1 : double(rounded) / grid;
    }
  }
  return images;
}

const std::array<DualFunction::Images, std::tuple_size_v<DualShares>> DualFunction::images_ = make_images();

DualFunction::DualFunction(const DualShares& shares) {
  for (std::size_t k = 0; k < shares.size(); ++k)
    if (shares[k] > 0)
      for (std::size_t step = 1; step <= grid; ++step) image_[step] += shares[k] * images_[k][step];
}

DualShares DualFunction::all(double x) {
  DualShares values{};
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = images_[k][step(x)];
  return values;
}

}  // namespace tesserec::planning
