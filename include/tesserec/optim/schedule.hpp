// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::optim {

enum class Policy { constant, linear, poly, step, exponential, inv_sqrt, cosine };

/// A stretch of a schedule, as of torchrec.optim.warmup.WarmupOptimizer. With s steps done since the start of training
/// (0 at the first) and S the end of the stage, the rate is base times scale times
///   constant     value
///   linear       value + (end_value - value) (s - start_steps) / (S - start_steps)
///   poly         (1 - s / decay_steps)^value, at least 0
///   step         value^floor(s / decay_steps)
///   exponential  value^(s / decay_steps)
///   inv_sqrt     1 / sqrt(s), of s at least 1
///   cosine       value + (1 - value) / 2 (1 + cos(pi (s mod period) / period))
struct ScheduleStage {
  Policy policy = Policy::constant;
  Index max_steps = 0;  ///< S: it rules while s <= S
  double value = 1.0;
  double end_value = 1.0;
  Index start_steps = 0;
  Index decay_steps = 0;  ///< 0: max_steps for poly, else 1
  Index period = 0;       ///< 0: max_steps
  double scale = 1.0;
};

struct PolicyInfo {
  Policy policy;
  std::string name, text;
  std::vector<std::string> keys;  ///< of a stage that it reads, besides max_steps and scale
  bool reads(const std::string& key) const;
};
/// All of them, in the order of the enumeration.
const std::vector<PolicyInfo>& policies();

/// Warm-up and decay as the reference DLRM's LRPolicyScheduler (facebookresearch/dlrm), or stages in order.
struct ScheduleSettings {
  Index warmup_steps = 0;      ///< steps of linear warm-up; 0 = none
  Index decay_start_step = 0;  ///< step of the first decayed rate; not below warmup_steps when decay_steps > 0
  Index decay_steps = 0;       ///< steps of quadratic decay; 0 = none
  std::vector<ScheduleStage> stages = {};
};

/// Fault of a schedule, and the setting at fault.
struct ScheduleFault {
  std::string key, text;
};
/// The first: a negative number of steps; a decay that starts before the warm-up ends; stages beside warm-up or decay;
/// a stage that ends before the one before it, or before its own start; a line that begins after its stage does, and so
/// would be drawn backwards; an exponential of 0. Without a fault no rate is negative.
std::optional<ScheduleFault> fault(const ScheduleSettings& schedule);
/// Error if there is one.
void validate(const ScheduleSettings& schedule);

/// No rate decays below this by decay_steps, as in the reference.
inline constexpr double least_decayed_rate = 1e-7;

/// The rate of step s = 1, 2, ... (W warm-up, S start, D decay steps):
///   s < W: base s/W;  S <= s < S+D: base ((S+D-s)/D)^2, floored at 1e-7;  else D > 0: the last value;  D =
///   0: base.
/// So between warm-up and decay the rate stays at base (W-1)/W, as in the reference. With W <= 1 no rate was
/// set before the decay; the reference stops there with an exception, here it is base.
/// With stages: that of the first that still rules; after the last, base.
double scheduled_rate(const ScheduleSettings& schedule, double base, Index step);

/// Bound of the rates of steps 1 to `last`, without a fault; exact but for cosine. `stage`: -1 = no stage has it.
struct GreatestRate {
  double rate = 0;
  Index stage = -1;
};
GreatestRate greatest_rate(const ScheduleSettings& schedule, double base, Index last);

}  // namespace tesserec::optim
