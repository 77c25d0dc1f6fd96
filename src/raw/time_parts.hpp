// SPDX-License-Identifier: Apache-2.0
// Parts of a time's text. A function that takes something removes it from the begin of the text, and returns false if
// the text begins with something else.
#pragma once

#include <string_view>

#include <tesserec/raw/times.hpp>

namespace tesserec::raw {

inline constexpr Index day_seconds = 24 * 3600, second = 1'000'000;  // seconds, microseconds

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes `digits` digits.
bool take_digits(std::string_view& text, std::size_t digits, int& number);

bool take_letter(std::string_view& text, char letter);

/// Takes a point and digits. Sets the fraction in units of 10^-`digits`, rounded; 0 without a point. Returns false for
/// a point alone.
bool take_fraction(std::string_view& text, int digits, Index& fraction);

/// Takes the digits of such a fraction, at least one.
bool take_fraction_digits(std::string_view& text, int digits, Index& fraction);

/// Takes an offset from UTC: Z, +HH, +HHMM or +HH:MM. Sets it in minutes.
bool take_offset(std::string_view& text, int& offset);

/// Sets the date and its parts. Returns false if there is no such day.
bool set_date(int year, int month, int day, ParsedTime& time);

/// Sets the instant, so many microseconds behind the begin of the hour. `offset`: minutes by which the writer's clock
/// is ahead.
void set_instant(Index microseconds, int offset, ParsedTime& time);

}  // namespace tesserec::raw
