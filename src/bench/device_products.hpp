// SPDX-License-Identifier: Apache-2.0
/// The products of a network's linear layers by a device's kernels, beside a large one in the same precision.
#pragma once

#include "measure.hpp"
#include <tesserec/bench/report.hpp>
#include <tesserec/train/session.hpp>

namespace tesserec::bench {

/// At the samples that a rank has of a batch. Nothing where kernels are the host's.
void measure_products(const Context& context, const train::Session& session, std::vector<Figure>& figures);

}  // namespace tesserec::bench
