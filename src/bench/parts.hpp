// SPDX-License-Identifier: Apache-2.0
/// Parts of the program alone, on data of their own: what each could give to a step.
#pragma once

#include "limits.hpp"
#include <tesserec/train/session.hpp>

namespace tesserec::bench {

/// Every layer's three products and both ways through the interaction, chunks of one size over and over.
void measure_layers(const Context& context, const train::Session& session, const Limits& limits,
                    std::vector<Figure>& figures);

/// Lookup, and the update by each optimizer, of rows of the model's dimension that no cache holds.
void measure_rows(const Context& context, Index dim, const Limits& limits, std::vector<Figure>& figures);

}  // namespace tesserec::bench
