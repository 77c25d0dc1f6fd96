// SPDX-License-Identifier: Apache-2.0
#pragma once

/// bench: measurements of the machine, of the program on it, and of the constants by which the planner predicts.
///
/// `run` measures the named `groups` on all ranks at once and returns a `Report` with a list of `Figure`.
/// A figure is the slowest rank's rate, the median of `Settings::repeats`. It stands next to the limit of the machine.
/// The groups "limits" and "costs" need no data; all others open the training data of the `train::Job`.
/// `describe` formats the report for people. `machine_toml` formats the constants as the file that plan.machine names.
/// `run` is collective and takes minutes. Other work on the machine makes its figures too low; `Settings::clock` helps.
/// It throws the Errors of a training, such as an Error for data that cannot be opened, on all ranks.
/// src/bench/README.md lists the groups, and docs/performance.md explains the figures.
///
/// ```cpp
/// train::Job job;
/// bench::Settings settings;
/// settings.seconds = 0.2;  // of each repeat
/// const bench::Report report = bench::run(exec, world, job, settings, {"limits", "costs"});
/// if (world.rank() == 0) std::cout << bench::describe(report) << bench::machine_toml(report, "4 ranks, 1 node");
/// if (const bench::Figure* const read = report.find("limits", "stream read"); read != nullptr && read->rate < 1e9)
///   fail("a rank reads less than 1 GB/s: bind the ranks to cores");
/// job.plan.costs = report.costs;  // a session of this job plans by them
/// ```

#include <tesserec/bench/bench.hpp>
#include <tesserec/bench/report.hpp>
#include <tesserec/bench/settings.hpp>
