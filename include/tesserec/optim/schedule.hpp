// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::optim {

/// Formula of a schedule's stage.
enum class Policy { constant, linear, poly, step, exponential, inv_sqrt, cosine };

/// Stage of a schedule, as in torchrec.optim.warmup.WarmupOptimizer. Let s be the steps done since the start of
/// training, 0 at the first. Let S be the stage's end. The rate is base times scale times
///   constant     value.
///   linear       value + (end_value - value) (s - start_steps) / (S - start_steps).
///   poly         (1 - s / decay_steps)^value, at least 0.
///   step         value^floor(s / decay_steps).
///   exponential  value^(s / decay_steps).
///   inv_sqrt     1 / sqrt(max(s, 1)).
///   cosine       value + (1 - value) / 2 (1 + cos(pi (s mod period) / period)).
struct ScheduleStage {
  Policy policy = Policy::constant;
  Index max_steps = 0;  ///< end S; the stage applies while s <= S
  double value = 1.0;
  double end_value = 1.0;
  Index start_steps = 0;
  Index decay_steps = 0;  ///< 0 = max_steps for poly, else 1
  Index period = 0;       ///< 0 = max_steps
  double scale = 1.0;
};

/// Description of a policy.
struct PolicyInfo {
  Policy policy;
  std::string name, text;
  std::vector<std::string> keys;  ///< settings of a stage that the policy reads besides max_steps and scale
  /// Returns whether the policy reads setting `key`.
  bool reads(const std::string& key) const;
};
/// Returns all policies, in the order of the enumeration.
const std::vector<PolicyInfo>& policies();

/// Schedule of a learning rate: warm-up and decay as in the reference DLRM's LRPolicyScheduler (facebookresearch/dlrm),
/// or stages in order.
struct ScheduleSettings {
  Index warmup_steps = 0;      ///< steps of linear warm-up; 0 = none
  Index decay_start_step = 0;  ///< step of the first decayed rate; not below warmup_steps when decay_steps > 0
  Index decay_steps = 0;       ///< steps of quadratic decay; 0 = none
  std::vector<ScheduleStage> stages = {};
};

/// Fault of a schedule, with the setting at fault.
struct ScheduleFault {
  std::string key, text;
};
/// Returns the first fault, or nothing. A schedule without a fault has no negative rate. Faults are:
///   a negative number of steps;
///   a decay that starts before the warm-up ends;
///   stages together with warm-up or decay;
///   a stage that ends no later than the stage before it;
///   a linear stage whose start_steps is not before its end, or is after the stage's first step;
///   an exponential of 0.
std::optional<ScheduleFault> fault(const ScheduleSettings& schedule);
/// Throws Error naming the first fault if there is one.
void validate(const ScheduleSettings& schedule);

/// Lower bound of the rates that decay_steps decays, as in the reference.
inline constexpr double least_decayed_rate = 1e-7;

/// Computes the rate of step s = 1, 2, ... from W warm-up steps, S the start of the decay and D decay steps:
///   s < W:         base s/W
///   D = 0:         base
///   W <= s < S:    base (W-1)/W, as in the reference; base if W <= 1, where the reference fails with an exception
///   S <= s < S+D:  base ((S+D-s)/D)^2, at least 1e-7
///   s >= S+D:      the rate of step S+D-1
/// If there are stages, the first one that still applies sets the rate. After the last stage the rate is base.
double scheduled_rate(const ScheduleSettings& schedule, double base, Index step);

/// Upper bound of the rates of steps 1 to `last`. `stage` is the index of the stage with that rate, or -1.
struct GreatestRate {
  double rate = 0;
  Index stage = -1;
};
/// Computes the bound, for a schedule without a fault. The bound is exact except for cosine.
GreatestRate greatest_rate(const ScheduleSettings& schedule, double base, Index last);

}  // namespace tesserec::optim
