// SPDX-License-Identifier: Apache-2.0
// Forms of times that are patterns with conversions, such as "%m/%d/%Y %H:%M" (strptime of POSIX).
#pragma once

#include <string>
#include <string_view>

#include <tesserec/raw/times.hpp>

namespace tesserec::raw {

/// Parses a time of a pattern without a fault. Returns false if the text is none.
bool parse_pattern(std::string_view text, std::string_view pattern, ParsedTime& time);

/// Returns what a pattern lacks, has twice, or has beside a conversion of the same thing, such as "lacks %d"; or "".
std::string pattern_fault(std::string_view pattern);

/// Returns a text of the pattern.
std::string pattern_example(std::string_view pattern);

}  // namespace tesserec::raw
