// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command.hpp"

namespace tesserec::app {

/// Parses the command line, reads the deck's text, so that all that follows sees one text, and compares what the ranks
/// were started for: program, working folder, command with its options and the files that they name, and every key of
/// the deck. Error on all ranks where they differ, or where one's command line or deck is wrong. Collective, and the
/// first collective call of a job.
Invocation agreed_invocation(const comm::Communicator& comm, const std::vector<std::string>& words);

}  // namespace tesserec::app
