// SPDX-License-Identifier: Apache-2.0
/// Begin and end of a process: its open files, and what becomes of an exception.
#pragma once

#include <functional>
#include <string>

namespace tesserec {

/// Exit code of a failure.
inline constexpr int exit_code_error = 2;
/// Exit code of a MemoryFault: a fault of the machine, so that another start may succeed.
inline constexpr int exit_code_memory = 86;

/// Result of a process, or of one rank.
struct Outcome {
  int code = 0;         ///< exit code
  std::string message;  ///< text of the failure; empty = success
};

/// Opens stdin, stdout and stderr if they are closed, so that no other file gets their numbers. Ignores signals for
/// errors that a write or read can report: SIGPIPE, SIGXFSZ, SIGTTOU and SIGTTIN. Throws Error without /dev/null.
void prepare_process();

/// Calls `body` and turns an exception into a message and an exit code: 128 + N after signal N, exit_code_memory
/// after a MemoryFault, else exit_code_error.
/// Output that cannot be written to stdout is a failure, too.
Outcome outcome_of(const std::function<int()>& body);

}  // namespace tesserec
