// SPDX-License-Identifier: Apache-2.0
/// From a deck with a [sweep] to its points, their folders and their processes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "command.hpp"
#include <tesserec/sweep/sweep.hpp>

namespace tesserec::app {

/// Every point's deck is read, so an Error names the line of a key that a point gets wrong. With an INDEX and without
/// halving that point's alone, since the others are none of its business: they have no folder then.
sweep::Sweep sweep_of(const Invocation& invocation);

/// Reads the records of points that have a folder, and their data's bytes now. Error: a damaged or foreign record.
void read_records(sweep::Sweep& sweep);

/// Names the points that ended on other data than there are now, for a message; "" where there are none.
std::string other_data(const sweep::Sweep& sweep);
/// Error where there are such points.
void refuse_other_data(const sweep::Sweep& sweep);

/// `tesserec train` of a point to a rung: the deck with the point's values, in the point's folder.
Invocation training_of(const Invocation& invocation, const sweep::Sweep& sweep, Index point, std::size_t rung);

/// The INDEX of the command line. Error unless it is one of so many points'.
Index point_of(const Invocation& invocation, Index points);

/// A process to start.
struct ChildJob {
  std::vector<std::string> words;  ///< the program, found along PATH, and its arguments
  std::string log;                 ///< a file to which all that it says is added
};

/// Runs the jobs in order, `at_once` at a time, and calls ended(job, exit code) after each: 128 + N where signal N
/// ended it, 127 where it did not start, as shells have it. SIGTERM, SIGINT or SIGUSR1 to this process: no more are
/// started, those that run get SIGUSR1, which launchers pass on, until they have ended. The signal, or 0.
int run_jobs(const std::vector<ChildJob>& jobs, int at_once, const std::function<void(std::size_t, int)>& ended);

}  // namespace tesserec::app
