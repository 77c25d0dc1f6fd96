// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>

namespace tesserec::report {

/// The last lines of a text file, each shortened; none where it cannot be read.
std::deque<std::string> log_tail(const std::string& path);

/// The last message of the program in them, without its name; empty where there is none.
std::string last_message(const std::string& path);

}  // namespace tesserec::report
