// SPDX-License-Identifier: Apache-2.0
/// Text for people and files: concatenation, lists, numbers, columns.
#pragma once

#include <charconv>
#include <cstdint>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

namespace tesserec {

/// Concatenates all values as a stream writes them: concat("row ", 3, " of ", name).
template <class... Values>
std::string concat(const Values&... values) {
  std::ostringstream text;
  (text << ... << values);
  return text.str();
}

/// Joins the elements of a list: join(names) = "a, b, c". `projection`, a function or member, selects the text of each
/// element.
template <class List, class Projection = std::identity>
std::string join(const List& list, std::string_view separator = ", ", const Projection& projection = {}) {
  std::ostringstream text;
  std::string_view before;
  for (const auto& element : list) {
    text << before << std::invoke(projection, element);
    before = separator;
  }
  return text.str();
}

/// Returns a count with its noun: "1 rank", "2 ranks".
std::string counted(std::int64_t count, std::string_view noun);

/// Formats with `digits` digits after the point: fixed(2.0, 1) = "2.0".
std::string fixed(double value, int digits);
/// Formats with at most `digits` digits in all: significant(2.0, 6) = "2". 17 digits read back to the same double.
std::string significant(double value, int digits);
/// Formats with `digits` digits after the point and an exponent: scientific(1500, 2) = "1.50e+03".
std::string scientific(double value, int digits);
/// Formats with the fewest digits that read back to the same number, 1.0 for a whole one, as TOML and Python do.
std::string shortest(double value);
std::string shortest(float value);
/// Formats in hexadecimal with at least `digits` digits, zeros in front.
std::string hex(std::uint64_t value, std::size_t digits = 16);
/// Formats a number of bytes: "512 B", "1.50 MiB".
std::string bytes_text(double bytes);
/// Formats a time with its unit and at most four digits: seconds_text(0.0195) = "19.5 ms".
std::string seconds_text(double seconds);

/// Pads the text to `width` bytes, with spaces behind it.
std::string left(std::string text, std::size_t width);
/// Pads the text to `width` bytes, with `fill` in front of it.
std::string right(std::string text, std::size_t width, char fill = ' ');

/// Returns the number that the whole text is, or none if it is something else or out of range.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace tesserec
