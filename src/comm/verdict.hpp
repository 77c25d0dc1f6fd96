// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include <tesserec/comm/run.hpp>

namespace tesserec::comm {

/// Returns the job's exit code: that of the lowest failing rank, which says its message; if none failed, the largest
/// code (85 after a signal). A failing rank that does not meet the others within two seconds, because they wait for it
/// inside the body, says its message, leaves its last words (set_last_words) and ends all ranks with its
/// code. `last_word` must be a communicator that the body does not use. The rank that speaks for all that have met
/// calls `note` with its message first. Collective.
int verdict(const Communicator& last_word, const Outcome& mine, const std::function<void(const std::string&)>& note);

}  // namespace tesserec::comm
