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

}  // namespace tesserec::bench
