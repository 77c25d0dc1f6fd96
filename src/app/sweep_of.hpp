// SPDX-License-Identifier: Apache-2.0
/// Points of a deck's [sweep], their folders and their processes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "command.hpp"
#include <tesserec/sweep/sweep.hpp>

namespace tesserec::app {

/// Makes the sweep of the deck and reads the deck of every point. Throws Error with the line of a key for which a point
/// has a wrong value. With an INDEX and without halving, reads only that point's deck; the others have no folder then.
sweep::Sweep sweep_of(const Invocation& invocation);

/// Reads the records of the points that have a folder, and the current digests of their data. Throws Error for a
/// damaged or foreign record.
void read_records(sweep::Sweep& sweep);

/// Describes the points that ended on other data than their files hold now, for a message; "" if there are none.
std::string other_data(const sweep::Sweep& sweep);
/// Throws Error if other_data() describes points.
void refuse_other_data(const sweep::Sweep& sweep);

/// Returns the invocation of `tesserec train` for a point to a rung, with the point's values and folder.
Invocation training_of(const Invocation& invocation, const sweep::Sweep& sweep, Index point, std::size_t rung);

/// Throws Error, naming the first point and the key, unless training would begin for the points on `ranks` ranks. Their
/// memory counts only if they are `here`, on this machine. Data that do not exist are left to the training.
void require_trainable(const Invocation& invocation, const sweep::Sweep& sweep, const std::vector<Index>& points,
                       int ranks, bool here);

/// Returns the INDEX of the command line. Throws Error unless it is an integer in [0, points).
Index point_of(const Invocation& invocation, Index points);

/// Process to start.
struct ChildJob {
  std::vector<std::string> words;  ///< program, found along PATH, and its arguments
  std::string log;                 ///< file to which its output is appended
};

/// Runs the jobs in order, `at_once` at a time, and calls ended(job, exit code) after each. As in a shell, the code is
/// 128 + N after signal N, and 127 if a job did not start. After SIGTERM, SIGINT or SIGUSR1 to this process, starts no
/// more jobs and sends SIGUSR1, which launchers pass on, to running jobs until they end. Returns the signal, or 0.
int run_jobs(const std::vector<ChildJob>& jobs, int at_once, const std::function<void(std::size_t, int)>& ended);

}  // namespace tesserec::app
