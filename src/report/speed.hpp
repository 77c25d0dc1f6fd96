// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run_folder.hpp"

namespace tesserec::report {

/// Samples a second between each log line and the one before it, by the clock, without the evaluations between them:
/// a stall is a dip. The first line of a start has the mean since that start. NaN where no time went by. Where a run
/// evaluates between two lines, the time is that of the steps alone.
Curve speed_between_lines(const Run& run);

}  // namespace tesserec::report
