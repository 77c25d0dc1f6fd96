// SPDX-License-Identifier: Apache-2.0
/// What the device can do where portable kernels work, whatever the program.
#pragma once

#include "measure.hpp"
#include <tesserec/bench/report.hpp>

namespace tesserec::bench {

struct DeviceLimits {
  double read = 0, copy = 0;  // bytes/s
};

/// Of the memory where kernels work: read and copied in order, read in random rows; up and down from and to pinned
/// memory of the host.
DeviceLimits measure_device(const Context& context, std::vector<Figure>& figures);

}  // namespace tesserec::bench
