// SPDX-License-Identifier: Apache-2.0
#include "time_parts.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace tesserec::raw {

bool take_digits(std::string_view& text, std::size_t digits, int& number) {
  if (text.size() < digits || !std::all_of(text.begin(), text.begin() + std::ptrdiff_t(digits), is_digit)) return false;
  std::from_chars(text.data(), text.data() + digits, number);
  text.remove_prefix(digits);
  return true;
}

bool take_letter(std::string_view& text, char letter) {
  if (!text.starts_with(letter)) return false;
  text.remove_prefix(1);
  return true;
}

bool take_fraction(std::string_view& text, int digits, Index& fraction) {
  fraction = 0;
  return !take_letter(text, '.') || take_fraction_digits(text, digits, fraction);
}

bool take_fraction_digits(std::string_view& text, int digits, Index& fraction) {
  fraction = 0;
  const std::size_t all = std::size_t(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
  for (std::size_t i = 0; i < std::size_t(digits); ++i) fraction = 10 * fraction + (i < all ? text[i] - '0' : 0);
  fraction += all > std::size_t(digits) && text[std::size_t(digits)] >= '5';
  text.remove_prefix(all);
  return all > 0;
}

bool take_offset(std::string_view& text, int& offset) {
  int hours = 0, minutes = 0;
  if (text.empty()) return false;
  const char sign = text.front();
  text.remove_prefix(1);
  if (sign == 'Z') return true;
  if ((sign != '+' && sign != '-') || !take_digits(text, 2, hours) || hours > 23) return false;
  const bool colon = take_letter(text, ':');
  const bool has_minutes = colon || (!text.empty() && is_digit(text.front()));
  if (has_minutes && !(take_digits(text, 2, minutes) && minutes < 60)) return false;
  offset = (sign == '-' ? -1 : 1) * (60 * hours + minutes);
  return true;
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

void set_instant(Index microseconds, int offset, ParsedTime& time) {
  const Index hour = time.date * day_seconds + Index{time.hour} * 3600 - Index{offset} * 60;
  time.instant = hour * second + microseconds;
}

}  // namespace tesserec::raw
