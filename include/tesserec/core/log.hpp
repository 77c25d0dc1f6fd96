// SPDX-License-Identifier: Apache-2.0
/// The log for people, on stderr: rank 0 speaks, warnings and errors come from any rank. Lost lines are counted.
#pragma once

#include <cstdint>
#include <string>

namespace tesserec {

/// Called once by `app`: this process's rank.
void set_log_rank(int rank);

void log_info(const std::string& line);
void log_warning(const std::string& line);
/// "tesserec: LINE", the message that a command ends with.
void log_error(const std::string& line);

/// A line that replaces itself on a terminal, and comes as a plain line at most every 10 s elsewhere.
void log_progress(const std::string& line, bool last = false);

/// Lines of this rank that could not be written.
std::int64_t log_lines_lost();

}  // namespace tesserec
