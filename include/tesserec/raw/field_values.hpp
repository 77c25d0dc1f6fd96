// SPDX-License-Identifier: Apache-2.0
/// Values of a table's fields: numbers, weights, times and buckets, from their texts.
#pragma once

#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <tesserec/raw/settings.hpp>

namespace tesserec::raw {

/// Returns the name of a kind, a transform or a form of times, as decks have it.
const char* kind_name(ColumnKind kind);
const char* transform_name(Transform transform);
const char* time_name(TimeForm form);
/// Returns a text of this form, for messages.
const char* time_example(TimeForm form);

/// Parses a whole text as std::from_chars does, but a number too small for the type becomes the nearest one, perhaps 0.
/// Returns invalid_argument for a text that is no number, result_out_of_range for one that is too large.
std::errc parse_float(std::string_view text, float& value);
std::errc parse_float(std::string_view text, double& value);

/// Parses a number of the range of floats. Returns why the text is none, such as "is not a number", or "".
std::string number_fault(std::string_view text, double& value);

/// Cuts ":WEIGHT" from a value that has a ':'. Returns false if that is no valid weight.
bool take_weight(std::string_view& value, float& weight);

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

/// Returns the shortest text that reads back to the number, without a fraction of 0.
std::string number_text(double number);
std::string number_text(float number);

/// Returns the texts of the buckets between ascending borders: "below A", "A to B", ..., "from Z".
std::vector<std::string> bucket_texts(const std::vector<double>& borders);

}  // namespace tesserec::raw
