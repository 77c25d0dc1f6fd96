// SPDX-License-Identifier: Apache-2.0
/// The kernels of the deck's step, each waited for, beside the memory in which they work.
#pragma once

#include "measure.hpp"
#include <tesserec/bench/report.hpp>
#include <tesserec/data/source.hpp>
#include <tesserec/train/session.hpp>

namespace tesserec::bench {

/// Trains `session` on some batches of the source. Collective.
void measure_kernels(const Context& context, train::Session& session, data::Source& source,
                     std::vector<Figure>& figures);

/// Rates of the memory where portable kernels work, whatever the program.
struct DeviceLimits {
  double read = 0, copy = 0;  // bytes/s
};

/// Measures device memory, read and copied in order and read in random rows, and copies to and from pinned memory.
DeviceLimits measure_device(const Context& context, std::vector<Figure>& figures);

/// Measures a device's products of the network's linear layers at a rank's samples, and a large one; none on a host.
void measure_products(const Context& context, const train::Session& session, std::vector<Figure>& figures);

}  // namespace tesserec::bench
