// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

#include <tesserec/raw/field_values.hpp>
#include <tesserec/raw/times.hpp>

namespace tesserec::raw {
namespace {

constexpr std::int64_t largest_seconds = 253402300800;        // the year 10000
constexpr Index day_seconds = 24 * 3600, second = 1'000'000;  // seconds, microseconds

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes `digits` digits from the begin of a text. Returns false if it begins with less.
bool take_digits(std::string_view& text, std::size_t digits, int& number) {
  if (text.size() < digits || !std::all_of(text.begin(), text.begin() + std::ptrdiff_t(digits), is_digit)) return false;
  std::from_chars(text.data(), text.data() + digits, number);
  text.remove_prefix(digits);
  return true;
}

/// Takes a separator and two digits, at most `largest`, if the text begins with the separator.
bool take_pair(std::string_view& text, char separator, int largest, int& number) {
  if (!text.starts_with(separator)) return false;
  text.remove_prefix(1);
  return take_digits(text, 2, number) && number <= largest;
}

bool set_date(int year, int month, int day, ParsedTime& time) {
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(unsigned(month)),
                                         std::chrono::day(unsigned(day))};
  if (!date.ok()) return false;
  time.day = day;
  const std::chrono::sys_days days(date);
  time.weekday = int(std::chrono::weekday(days).iso_encoding());
  time.date = days.time_since_epoch().count();
  return true;
}

/// Sets the instant, so many microseconds behind the begin of the hour. `offset`: minutes by which the writer's clock
/// is ahead.
void set_instant(Index microseconds, int offset, ParsedTime& time) {
  const Index hour = time.date * day_seconds + Index{time.hour} * 3600 - Index{offset} * 60;
  time.instant = hour * second + microseconds;
}

/// Takes a point and digits. Sets the fraction in units of 10^-`digits`, rounded. Returns false for a point alone.
bool take_fraction(std::string_view& text, int digits, Index& fraction) {
  fraction = 0;
  if (!text.starts_with('.')) return true;
  text.remove_prefix(1);
  const std::size_t all = std::size_t(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
  for (std::size_t i = 0; i < std::size_t(digits); ++i) fraction = 10 * fraction + (i < all ? text[i] - '0' : 0);
  fraction += all > std::size_t(digits) && text[std::size_t(digits)] >= '5';
  text.remove_prefix(all);
  return all > 0;
}

/// Reads a decimal number without an exponent, in units of 10^-`digits`. Returns false if the text is none, or so long
/// that the units may not fit.
bool read_decimal(std::string_view text, int digits, Index& units) {
  constexpr int most_digits = 18;
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const auto whole_digits = std::find_if_not(text.begin(), text.end(), is_digit) - text.begin();
  if (whole_digits == 0 || whole_digits + digits > most_digits) return false;
  Index whole = 0, fraction = 0;
  std::from_chars(text.data(), text.data() + whole_digits, whole);
  text.remove_prefix(std::size_t(whole_digits));
  if (!take_fraction(text, digits, fraction) || !text.empty()) return false;
  for (int i = 0; i < digits; ++i) whole *= 10;
  units = negative ? -(whole + fraction) : whole + fraction;
  return true;
}

/// Parses YYMMDDHH, of the years 2000 to 2099.
bool parse_digits(std::string_view text, ParsedTime& time) {
  int year = 0, month = 0, day = 0;
  const bool fits = take_digits(text, 2, year) && take_digits(text, 2, month) && take_digits(text, 2, day) &&
                    take_digits(text, 2, time.hour) && text.empty() && time.hour < 24 &&
                    set_date(2000 + year, month, day, time);
  if (fits) set_instant(0, 0, time);
  return fits;
}

/// Parses a time since 1970 in UTC, in units of 10^`digits` microseconds.
bool parse_since_1970(std::string_view text, int digits, ParsedTime& time) {
  Index instant = 0;
  if (!read_decimal(text, digits, instant)) {
    double exact = 0;
    if (!number_fault(text, exact).empty()) return false;
    for (int i = 0; i < digits; ++i) exact *= 10;
    if (!(std::abs(exact) < double(largest_seconds) * double(second))) return false;
    instant = std::llround(exact);
  }
  const Index seconds = instant / second - (instant % second < 0 ? 1 : 0);
  if (std::abs(seconds) >= largest_seconds) return false;
  time.instant = instant;
  const std::chrono::sys_seconds at{std::chrono::seconds(seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  time.hour = int(std::chrono::floor<std::chrono::hours>(at - day).count());
  return set_date(int(date.year()), int(unsigned(date.month())), int(unsigned(date.day())), time);
}

/// Parses the offset from UTC behind a time: nothing, Z, +HH, +HHMM or +HH:MM. Sets it in minutes.
bool parse_offset(std::string_view text, int& offset) {
  int hours = 0, minutes = 0;
  if (text.empty() || text == "Z") return true;
  if (text.front() != '+' && text.front() != '-') return false;
  const int sign = text.front() == '-' ? -1 : 1;
  text.remove_prefix(1);
  if (!take_digits(text, 2, hours) || hours > 23) return false;
  if (text.starts_with(':')) text.remove_prefix(1);
  if (!text.empty() && !(take_digits(text, 2, minutes) && minutes < 60)) return false;
  offset = sign * (60 * hours + minutes);
  return text.empty();
}

/// Parses YYYY-MM-DD, then nothing or a T or a space and HH[:MM[:SS[.F]]] and an offset.
bool parse_iso(std::string_view text, ParsedTime& time) {
  int year = 0, month = 0, day = 0, minute = 0, seconds = 0, offset = 0;
  if (!take_digits(text, 4, year) || !take_pair(text, '-', 12, month) || !take_pair(text, '-', 31, day)) return false;
  if (!set_date(year, month, day, time)) return false;
  time.hour = 0;
  if (!text.empty() && !take_pair(text, text.front() == 'T' ? 'T' : ' ', 23, time.hour)) return false;
  if (text.starts_with(':') && !take_pair(text, ':', 59, minute)) return false;
  Index fraction = 0;
  if (text.starts_with(':') && !(take_pair(text, ':', 60, seconds) && take_fraction(text, 6, fraction))) return false;
  if (!parse_offset(text, offset)) return false;
  set_instant((60 * Index{minute} + seconds) * second + fraction, offset, time);
  return true;
}

}  // namespace

const char* time_name(TimeForm form) {
  constexpr const char* names[] = {"epoch", "epoch_ms", "iso", "yymmddhh"};
  return names[std::size_t(form)];
}

const char* time_example(TimeForm form) {
  constexpr const char* texts[] = {"1413882487", "1413882487500", "2014-10-21T09:08:07", "14102109"};
  return texts[std::size_t(form)];
}

bool parse_time(std::string_view text, TimeForm form, ParsedTime& time) {
  if (form == TimeForm::iso) return parse_iso(text, time);
  if (form == TimeForm::yymmddhh) return parse_digits(text, time);
  return parse_since_1970(text, form == TimeForm::epoch_ms ? 3 : 6, time);
}

std::string_view part_text(const ParsedTime& time, std::string_view part) {
  static const auto texts = [] {
    std::array<std::string, 32> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::to_string(i);
    return all;
  }();
  if (part == "hour") return texts[time.hour];
  return texts[part == "weekday" ? time.weekday : time.day];
}

}  // namespace tesserec::raw
