// SPDX-License-Identifier: Apache-2.0
#pragma once

/// optim: optimizers of weights and schedules of the learning rate.
/// `Settings` choose a type; info() says which states a type keeps and which settings it reads. validate() checks
/// `ScheduleSettings`, and scheduled_rate() computes the rate of a step. `DenseOptimizer` then updates a flat vector
/// with its gradient; step_scalars() with move() or move_row() updates weights or a table's row whose states the caller
/// has. Steps count from 1. No function is collective. An elementwise type gives a weight the same bits in any range,
/// so each rank may update its own weights. On a device step() does not wait. The weights belong to the caller, and so
/// does memory that was given for states. A type with states per row, or a faulty schedule, throws class Error.
/// src/optim/README.md has the formulas; docs/training.md explains schedules and docs/deck.md the keys.
///
/// ```cpp
/// const optim::Settings settings{.type = optim::Type::adam, .lr = 0.01};
/// const optim::ScheduleSettings schedule{.warmup_steps = 100, .decay_start_step = 800, .decay_steps = 200};
/// optim::validate(schedule);
/// const Index n = 4096;
/// const Vector<float> weights("weights", n), gradient("gradient", n);  // zeros
/// optim::DenseOptimizer optimizer(exec, settings, n);
/// for (Index step = 1; step <= 1000; ++step) {
///   parallel_for(exec, "slope", n, [=](Index i) noexcept { gradient(i) = weights(i) - 1.0f; });
///   const double rate = optim::scheduled_rate(schedule, settings.lr, step);
///   optimizer.step(exec, weights, gradient, rate, step, {0, n});
/// }
/// ```

#include <tesserec/optim/dense_optimizer.hpp>
#include <tesserec/optim/optimizer.hpp>
#include <tesserec/optim/row_rules.hpp>
#include <tesserec/optim/rules.hpp>
#include <tesserec/optim/schedule.hpp>
