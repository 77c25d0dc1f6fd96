// SPDX-License-Identifier: Apache-2.0
/// Times from the texts of a table's fields.
#pragma once

#include <string>
#include <string_view>

#include <tesserec/core/index.hpp>

namespace tesserec::raw {

/// Parts of a time, as written, or in UTC if it counts from 1970.
struct ParsedTime {
  int hour = 0;       ///< 0 to 23
  int weekday = 1;    ///< 1 (Monday) to 7
  int day = 1;        ///< day of the month, 1 to 31
  Index date = 0;     ///< days from 1970-01-01 to the day
  Index instant = 0;  ///< microseconds since 1970 in UTC
};

/// Parses a time of a form that time_fault() accepts. Returns false if the text is none.
///
/// A form is "epoch", "epoch_ms", "epoch_us" or "epoch_ns", which count from 1970 in UTC, "iso" (ISO 8601), "yymmddhh",
/// or a pattern with conversions of POSIX's strptime: %Y %y %m %b %d %H %I %p %M %S %z %%, and %f for the digits of a
/// fraction. Each other character of a pattern stands for itself.
bool parse_time(std::string_view text, std::string_view form, ParsedTime& time);

/// Returns why a text is no form of times, such as `is "%H:%M", which lacks %Y or %y; ...`, or "".
std::string time_fault(std::string_view form);

/// Returns a text of the form, for messages.
std::string time_example(std::string_view form);

/// Returns the text of the part "hour", "weekday" or "day" of a time, a number without leading zeros.
std::string_view part_text(const ParsedTime& time, std::string_view part);

}  // namespace tesserec::raw
