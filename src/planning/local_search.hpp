// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "assignment.hpp"

namespace tesserec::planning {

/// Moves, swaps and changes of options, each of which lightens the worst rank; ends within a small share of `bound`.
void lighten(Assignment& assignment, double bound, int most_rounds);

}  // namespace tesserec::planning
