// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tesserec::app {

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
