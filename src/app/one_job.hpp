// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command.hpp"

namespace tesserec::app {

/// Parses the command line, reads the deck's text once, and compares what the ranks were started for: program, working
/// folder, command with options and the files they name, and every key. Error on all ranks where they differ or where
/// one is wrong. Collective, and the first collective call of a job.
Invocation agreed_invocation(const comm::Communicator& comm, const std::vector<std::string>& words);

}  // namespace tesserec::app
