// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include <tesserec/comm/communicator.hpp>

namespace tesserec::app {

/// How one rank ended.
struct Outcome {
  int code = 0;         ///< exit code
  std::string message;  ///< not empty = it failed
};

/// Exit code of a failure.
inline constexpr int exit_code_error = 2;

/// "tesserec: MESSAGE" on stderr.
void say(const std::string& message);

/// Returns the job's exit code: that of the lowest failing rank, which prints its message; if none failed, the largest
/// code (85 after a signal). A failing rank that does not meet the others within two seconds, because they wait for it
/// inside the command, prints its message, leaves its last words (comm::set_last_words) and ends all ranks with its
/// code. `last_word` must be a communicator that the command does not use. The rank that prints for all that have met
/// calls `note` with its message first. Collective.
int verdict(
    const comm::Communicator& last_word, const Outcome& mine,
    const std::function<void(const std::string&)>& note = [](const std::string&) {});

}  // namespace tesserec::app
