// SPDX-License-Identifier: Apache-2.0
/// Log for people, on stderr. Rank 0 writes information; any rank writes warnings of its own and errors. Lost lines are
/// counted.
#pragma once

#include <cstdint>
#include <string>

namespace tesserec {

/// Sets the rank of this process. Called once, by `app`.
void set_log_rank(int rank);

/// Writes a line on rank 0.
void log_info(const std::string& line);
/// Writes "warning: LINE" on any rank.
void log_warning(const std::string& line);
/// Writes "warning: LINE" on rank 0. For what every rank finds alike.
void log_common_warning(const std::string& line);
/// Writes "tesserec: LINE" on any rank: the message that a command ends with.
void log_error(const std::string& line);

/// Writes progress on rank 0: a line that replaces itself on a terminal, elsewhere a plain line at most every 10 s. The
/// `last` line is always written.
void log_progress(const std::string& line, bool last = false);

/// Returns the number of lines of this rank that could not be written.
std::int64_t log_lines_lost();

}  // namespace tesserec
