// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "job.hpp"

namespace tesserec::app {

/// Runs `tesserec replay RUN --step N --to FOLDER`: begins with the run's last checkpoint before step N, or as the run
/// did, and trains to step N in another folder. Trains on to the run's next checkpoint and compares all numbers with
/// it. Returns 0 if they are equal or there is none, else 1. Collective.
int replay_step(const Invocation& invocation, const comm::Communicator& comm);

}  // namespace tesserec::app
