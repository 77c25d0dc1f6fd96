// SPDX-License-Identifier: Apache-2.0
/// Times from the texts of a table's fields.
#pragma once

#include <string_view>

#include <tesserec/raw/settings.hpp>

namespace tesserec::raw {

/// Returns the name of a form of times, as decks have it.
const char* time_name(TimeForm form);
/// Returns a text of this form, for messages.
const char* time_example(TimeForm form);

/// Parts of a time, as written, or in UTC if it counts from 1970.
struct ParsedTime {
  int hour = 0;       ///< 0 to 23
  int weekday = 1;    ///< 1 (Monday) to 7
  int day = 1;        ///< day of the month, 1 to 31
  Index date = 0;     ///< days from 1970-01-01 to the day
  Index instant = 0;  ///< microseconds since 1970 in UTC
};

/// Parses a time of the form. Returns false if the text is none.
bool parse_time(std::string_view text, TimeForm form, ParsedTime& time);

/// Returns the text of the part "hour", "weekday" or "day" of a time, a number without leading zeros.
std::string_view part_text(const ParsedTime& time, std::string_view part);

}  // namespace tesserec::raw
