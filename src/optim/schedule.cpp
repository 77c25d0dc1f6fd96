// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include <tesserec/core/elementary.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/optim/rules.hpp>
#include <tesserec/optim/schedule.hpp>

namespace tesserec::optim {
namespace {

double polynomial(double left, double exponent) {
  if (left <= 0.0) return exponent == 0.0 ? 1.0 : 0.0;
  return elementary::exp(exponent * elementary::log(left));
}

/// Returns the factor of the base rate, `done` steps after the start of training.
double factor(const ScheduleStage& stage, Index done) {
  const bool poly = stage.policy == Policy::poly;
  const Index whole = poly ? stage.max_steps : 1;
  const Index decay = stage.decay_steps > 0 ? stage.decay_steps : whole;
  const Index period = stage.period > 0 ? stage.period : stage.max_steps;
  const double steps = done;
  switch (stage.policy) {
    case Policy::constant:
      return stage.value;
    case Policy::linear:
      return stage.value + (stage.end_value - stage.value) * (steps - stage.start_steps) /
                               double(stage.max_steps - stage.start_steps);
    case Policy::poly:
      return polynomial(1.0 - steps / decay, stage.value);
    case Policy::step:
      return power(stage.value, done / decay);
    case Policy::exponential:
      return elementary::exp(elementary::log(stage.value) * (steps / decay));
    case Policy::inv_sqrt:
      return 1.0 / std::sqrt(std::max(steps, 1.0));
    case Policy::cosine: {
      const double angle = std::numbers::pi * double(done % period) / double(period);
      return stage.value + (1.0 - stage.value) / 2.0 * (1.0 + elementary::cos(angle));
    }
  }
  return 1.0;
}

std::optional<ScheduleFault> fault_of_stages(const ScheduleSettings& schedule) {
  if (schedule.warmup_steps > 0 || schedule.decay_steps > 0)
    return ScheduleFault{
        "stages", "cannot be combined with warmup_steps or decay_steps; warm up by a linear stage, and decay by poly"};
  Index last = 0;
  for (std::size_t i = 0; i < schedule.stages.size(); ++i) {
    const ScheduleStage& stage = schedule.stages[i];
    const Index first = i == 0 ? 0 : last + 1;
    const auto at = [i](const std::string& key) { return "stages." + std::to_string(i) + "." + key; };
    if (stage.max_steps <= last)
      return ScheduleFault{
          at("max_steps"),
          concat("is ", stage.max_steps, ", but steps count from the start of training; set more than ", last)};
    last = stage.max_steps;
    if (stage.policy == Policy::linear && stage.start_steps >= stage.max_steps)
      return ScheduleFault{at("start_steps"), concat("is ", stage.start_steps,
                                                     ", but must be less than max_steps; set ", last - 1, " or less")};
    if (stage.policy == Policy::linear && stage.start_steps > first)
      return ScheduleFault{at("start_steps"),
                           concat("is ", stage.start_steps, ", but the stage begins at step ", first,
                                  ", before its line; set start_steps = ", first,
                                  i == 0 ? " or less, or add a constant stage before it with max_steps = "
                                         : " or less, or extend the preceding stage to max_steps = ",
                                  stage.start_steps - 1)};
    if (stage.policy == Policy::exponential && !(stage.value > 0.0))
      return ScheduleFault{at("value"), "is 0, but an exponential stage needs more than 0"};
  }
  return std::nullopt;
}

double reference_rate(const ScheduleSettings& schedule, double base, Index step) {
  const Index warmup = schedule.warmup_steps, start = schedule.decay_start_step, decay = schedule.decay_steps;
  const auto warming = [&](Index s) { return base * (1.0 - double(warmup - s) / double(warmup)); };
  const auto decaying = [&](Index s) {
    const double left = double(start + decay - s) / double(decay);
    return std::max(least_decayed_rate, base * left * left);
  };
  if (step < warmup) return warming(step);
  if (decay == 0) return base;
  if (step >= start) return decaying(std::min(step, start + decay - 1));
  return warmup > 1 ? warming(warmup - 1) : base;
}

}  // namespace

bool PolicyInfo::reads(const std::string& key) const { return std::find(keys.begin(), keys.end(), key) != keys.end(); }

const std::vector<PolicyInfo>& policies() {
  static const std::vector<PolicyInfo> infos = {
      {Policy::constant, "constant", "value.", {"value"}},
      {Policy::linear,
       "linear",
       "from value at start_steps to end_value at max_steps.",
       {"value", "end_value", "start_steps"}},
      {Policy::poly, "poly", "(1 - s / decay_steps)^value.", {"value", "decay_steps"}},
      {Policy::step, "step", "value^floor(s / decay_steps).", {"value", "decay_steps"}},
      {Policy::exponential, "exponential", "value^(s / decay_steps).", {"value", "decay_steps"}},
      {Policy::inv_sqrt, "inv_sqrt", "1 / sqrt(s).", {}},
      {Policy::cosine, "cosine", "from 1 to value by a half cosine, again in each period.", {"value", "period"}}};
  return infos;
}

std::optional<ScheduleFault> fault(const ScheduleSettings& schedule) {
  for (const auto& [key, steps] :
       {std::pair("warmup_steps", schedule.warmup_steps), std::pair("decay_start_step", schedule.decay_start_step),
        std::pair("decay_steps", schedule.decay_steps)})
    if (steps < 0) return ScheduleFault{key, concat("is ", steps, "; set 0 or more")};
  if (schedule.decay_steps > 0 && schedule.decay_start_step < schedule.warmup_steps)
    return ScheduleFault{"decay_start_step",
                         concat("is ", schedule.decay_start_step, ", but the warm-up ends at schedule.warmup_steps = ",
                                schedule.warmup_steps, "; set that or more")};
  return schedule.stages.empty() ? std::nullopt : fault_of_stages(schedule);
}

void validate(const ScheduleSettings& schedule) {
  if (const auto found = fault(schedule)) fail("schedule.", found->key, " ", found->text);
}

double scheduled_rate(const ScheduleSettings& schedule, double base, Index step) {
  if (schedule.stages.empty()) return reference_rate(schedule, base, step);
  for (const ScheduleStage& stage : schedule.stages)
    if (step - 1 <= stage.max_steps) return base * (stage.scale * factor(stage, step - 1));
  return base;
}

GreatestRate greatest_rate(const ScheduleSettings& schedule, double base, Index last) {
  GreatestRate greatest{base, -1};
  if (schedule.stages.empty()) {
    if (schedule.decay_steps > 0) greatest.rate = std::max(base, reference_rate(schedule, base, last));
    return greatest;
  }
  Index first = 0;  // number of steps done
  for (std::size_t i = 0; i < schedule.stages.size() && first < last; ++i) {
    const ScheduleStage& stage = schedule.stages[i];
    const Index end = std::min(stage.max_steps, last - 1);
    const auto at = [&](Index done) { return base * (stage.scale * factor(stage, done)); };
    double rate = std::max(at(first), at(end));  // every policy except cosine is monotonic
    if (stage.policy == Policy::cosine) rate = base * (stage.scale * std::max(1.0, stage.value));
    if (i == 0 || !(rate <= greatest.rate)) greatest = {rate, Index(i)};
    first = stage.max_steps + 1;
  }
  return first < last && greatest.rate < base ? GreatestRate{base, -1} : greatest;
}

}  // namespace tesserec::optim
