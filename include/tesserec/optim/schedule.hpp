// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/core/kokkos.hpp>

namespace tesserec::optim {

/// Warm-up and decay as the reference DLRM's LRPolicyScheduler does it (facebookresearch/dlrm).
struct ScheduleSettings {
  Index warmup_steps = 0;      ///< steps of linear warm-up; 0 = none
  Index decay_start_step = 0;  ///< step of the first decayed rate; not below warmup_steps when decay_steps > 0
  Index decay_steps = 0;       ///< steps of quadratic decay; 0 = none
};

/// Factor on the base rate at step s = 1, 2, ... (W warm-up, S start, D decay steps):
///   s < W: s/W;  S <= s < S+D: ((S+D-s)/D)^2 with the rate floored at 1e-7;  else D > 0: the last value;  D = 0: 1.
/// Between warm-up and decay the last value is (W-1)/W, as in the reference; with W = 0 it is 1.
double scheduled_rate(const ScheduleSettings& schedule, double base, Index step);

}  // namespace tesserec::optim
