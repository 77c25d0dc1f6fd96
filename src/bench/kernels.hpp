// SPDX-License-Identifier: Apache-2.0
/// Kernels of the deck's step, each waited for, compared with the memory in which they work.
#pragma once

#include "measure.hpp"
#include <tesserec/bench/report.hpp>
#include <tesserec/data/source.hpp>
#include <tesserec/train/session.hpp>

namespace tesserec::bench {

/// Measures the device, its products and the kernels of a step. Trains `session` on some batches of the source.
/// Collective.
void measure_kernels(const Context& context, train::Session& session, data::Source& source,
                     std::vector<Figure>& figures);

/// Rates of the memory in which portable kernels work, whatever the program does.
struct DeviceLimits {
  double read = 0, copy = 0;  // rates, bytes/s; a copy counts both directions
};

/// Measures device memory (reads and copies in order, reads of random rows) and copies to and from pinned memory.
/// Collective.
DeviceLimits measure_device(const Context& context, std::vector<Figure>& figures);

/// Measures a device's products: those of the network's linear layers for a rank's samples, and a large one. Does
/// nothing if the kernels run on the host. Collective.
void measure_products(const Context& context, const train::Session& session, std::vector<Figure>& figures);

}  // namespace tesserec::bench
