// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/core/error.hpp>
#include <tesserec/optim/schedule.hpp>

namespace tesserec::optim {

void validate(const ScheduleSettings& schedule) {
  if (schedule.warmup_steps < 0 || schedule.decay_start_step < 0 || schedule.decay_steps < 0)
    fail("the schedule's warm-up steps (", schedule.warmup_steps, "), decay start (", schedule.decay_start_step,
         ") and decay steps (", schedule.decay_steps, ") must not be negative");
  if (schedule.decay_steps > 0 && schedule.decay_start_step < schedule.warmup_steps)
    fail("the learning rate's decay starts at step ", schedule.decay_start_step, ", before its warm-up of ",
         schedule.warmup_steps, " steps ends; let it start at ", schedule.warmup_steps, " or later");
}

double scheduled_rate(const ScheduleSettings& schedule, double base, Index step) {
  const Index warmup = schedule.warmup_steps, start = schedule.decay_start_step, decay = schedule.decay_steps;
  const auto warming = [&](Index s) { return base * (1.0 - double(warmup - s) / double(warmup)); };
  const auto decaying = [&](Index s) {
    const double left = double(start + decay - s) / double(decay);
    return std::max(1e-7, base * left * left);
  };
  if (step < warmup) return warming(step);
  if (decay == 0) return base;
  if (step >= start) return decaying(std::min(step, start + decay - 1));
  return warmup > 1 ? warming(warmup - 1) : base;
}

}  // namespace tesserec::optim
