// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>

#include "time_parts.hpp"
#include "time_pattern.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/raw/field_values.hpp>
#include <tesserec/raw/times.hpp>

namespace tesserec::raw {
namespace {

constexpr std::int64_t largest_seconds = 253402300800;  // the year 10000

/// Takes a separator and two digits, at most `largest`, if the text begins with the separator.
bool take_pair(std::string_view& text, char separator, int largest, int& number) {
  return take_letter(text, separator) && take_digits(text, 2, number) && number <= largest;
}

/// Reads a decimal number without an exponent, in units of 10^-`digits`. Returns false if the text is none, or so long
/// that the units may not fit.
bool read_decimal(std::string_view text, int digits, Index& units) {
  constexpr Index largest = std::numeric_limits<Index>::max();
  const int most_digits = digits == 0 ? 19 : 18;
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const auto whole_digits = std::find_if_not(text.begin(), text.end(), is_digit) - text.begin();
  if (whole_digits == 0 || whole_digits + digits > most_digits) return false;
  Index whole = 0, fraction = 0;
  const auto code = std::from_chars(text.data(), text.data() + whole_digits, whole).ec;
  if (code != std::errc() || whole == largest) return false;
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

/// Returns nanoseconds as microseconds, rounded.
Index microseconds_of(Index nanoseconds) {
  const Index rest = nanoseconds % 1000;
  const Index away = rest < 0 ? -1 : 1;
  return nanoseconds / 1000 + (std::abs(rest) >= 500 ? away : 0);
}

/// Reads a number of units of 10^`digits` microseconds, or nanoseconds where `digits` is -3. Sets it in microseconds.
bool read_instant(std::string_view text, int digits, Index& instant) {
  const bool nano = digits < 0;
  if (read_decimal(text, std::max(digits, 0), instant)) {
    if (nano) instant = microseconds_of(instant);
    return true;
  }
  double exact = 0;
  if (!number_fault(text, exact).empty()) return false;
  for (int i = 0; i < digits; ++i) exact *= 10;
  if (nano) exact /= 1000;
  if (!(std::abs(exact) < double(largest_seconds) * double(second))) return false;
  instant = std::llround(exact);
  return true;
}

/// Parses a time since 1970 in UTC, of a number that read_instant() reads.
bool parse_since_1970(std::string_view text, int digits, ParsedTime& time) {
  Index instant = 0;
  if (!read_instant(text, digits, instant)) return false;
  const Index seconds = instant / second - (instant % second < 0 ? 1 : 0);
  if (std::abs(seconds) >= largest_seconds) return false;
  time.instant = instant;
  const std::chrono::sys_seconds at{std::chrono::seconds(seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  time.hour = int(std::chrono::floor<std::chrono::hours>(at - day).count());
  return set_date(int(date.year()), int(unsigned(date.month())), int(unsigned(date.day())), time);
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
  if (!text.empty() && !(take_offset(text, offset) && text.empty())) return false;
  set_instant((60 * Index{minute} + seconds) * second + fraction, offset, time);
  return true;
}

/// Form that counts from 1970 (read_instant).
struct Epoch {
  std::string_view name;
  int digits;
  const char* example;
};
constexpr Epoch epochs[] = {{"epoch", 6, "1413882487"},
                            {"epoch_ms", 3, "1413882487500"},
                            {"epoch_us", 0, "1413882487500000"},
                            {"epoch_ns", -3, "1413882487500000000"}};

const Epoch* epoch_of(std::string_view form) {
  const auto* const found = std::ranges::find_if(epochs, [&](const Epoch& epoch) { return epoch.name == form; });
  return found == std::end(epochs) ? nullptr : found;
}

}  // namespace

bool parse_time(std::string_view text, std::string_view form, ParsedTime& time) {
  if (const Epoch* const epoch = epoch_of(form)) return parse_since_1970(text, epoch->digits, time);
  if (form == "iso") return parse_iso(text, time);
  if (form == "yymmddhh") return parse_digits(text, time);
  return parse_pattern(text, form, time);
}

std::string time_fault(std::string_view form) {
  if (epoch_of(form) != nullptr || form == "iso" || form == "yymmddhh") return {};
  const std::string advice =
      "; give epoch, epoch_ms, epoch_us, epoch_ns, iso, yymmddhh, or a pattern of "
      "%Y %y %m %b %d %H %I %p %M %S %f %z, such as \"%m/%d/%Y %H:%M\"";
  constexpr std::size_t longest = 60;  // of what is shown of a form
  if (form.find('%') == std::string_view::npos) return concat("is ", shown(form, longest), advice);
  const std::string fault = pattern_fault(form);
  return fault.empty() ? fault : concat("is ", shown(form, longest), ", which ", fault, advice);
}

std::string time_example(std::string_view form) {
  if (const Epoch* const epoch = epoch_of(form)) return epoch->example;
  if (form == "iso") return "2014-10-21T09:08:07";
  if (form == "yymmddhh") return "14102109";
  return pattern_example(form);
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
