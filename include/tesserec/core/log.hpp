// SPDX-License-Identifier: Apache-2.0
/// What a person reads, on stderr. Rank 0 speaks; warnings may come from any rank.
#pragma once

#include <string>

namespace tesserec {

/// Called once by `app`: this process's rank.
void set_log_rank(int rank);

void log_info(const std::string& line);
void log_warning(const std::string& line);

/// A line that replaces itself on a terminal, and comes as a plain line at most every 10 s elsewhere.
void log_progress(const std::string& line, bool last = false);

}  // namespace tesserec
