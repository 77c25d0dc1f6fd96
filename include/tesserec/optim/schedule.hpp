// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/core/index.hpp>

namespace tesserec::optim {

/// Warm-up and decay as the reference DLRM's LRPolicyScheduler does it (facebookresearch/dlrm).
struct ScheduleSettings {
  Index warmup_steps = 0;      ///< steps of linear warm-up; 0 = none
  Index decay_start_step = 0;  ///< step of the first decayed rate; not below warmup_steps when decay_steps > 0
  Index decay_steps = 0;       ///< steps of quadratic decay; 0 = none
};

/// Errors: a negative number of steps; a decay that starts before the warm-up ends.
void validate(const ScheduleSettings& schedule);

/// The rate of step s = 1, 2, ... (W warm-up, S start, D decay steps):
///   s < W: base s/W;  S <= s < S+D: base ((S+D-s)/D)^2, floored at 1e-7;  else D > 0: the last value;  D =
///   0: base.
/// So between warm-up and decay the rate stays at base (W-1)/W, as in the reference. With W <= 1 no rate was
/// set before the decay; the reference stops there with an exception, here it is base.
double scheduled_rate(const ScheduleSettings& schedule, double base, Index step);

}  // namespace tesserec::optim
