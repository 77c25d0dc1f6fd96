// SPDX-License-Identifier: Apache-2.0
/// How long a run is, and which settings do nothing in one so long.
#pragma once

#include <tesserec/train/job.hpp>

namespace tesserec::train {

/// Steps of the whole run. Error: they cannot be counted.
Index last_step(const Settings& train, Index batches);

/// Warns of settings of the rate and of evaluations that do nothing in a run of so many steps.
void warn_of_idle_settings(const Job& job, Index last, bool evaluates);

}  // namespace tesserec::train
