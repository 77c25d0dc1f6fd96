// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <limits>

#include <tesserec/core/text.hpp>

namespace tesserec {
namespace {

// Formats a number by std::to_chars. The buffer fits all digits of the largest double, sign, point and a
// precision of 37 digits.
template <class... Arguments>
std::string digits_of(Arguments... arguments) {
  std::array<char, std::numeric_limits<double>::max_exponent10 + 40> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), arguments...);
  return error == std::errc() ? std::string(digits.data(), end) : "?";
}

// Appends ".0" to digits that would read as an integer.
std::string with_point(std::string digits) {
  return digits.find_first_of(".en") == std::string::npos ? digits + ".0" : digits;
}

}  // namespace

std::string counted(std::int64_t count, std::string_view noun) {
  return concat(count, ' ', noun, count == 1 ? "" : "s");
}

std::string fixed(double value, int digits) { return digits_of(value, std::chars_format::fixed, digits); }
std::string significant(double value, int digits) { return digits_of(value, std::chars_format::general, digits); }
std::string scientific(double value, int digits) { return digits_of(value, std::chars_format::scientific, digits); }
std::string shortest(double value) { return with_point(digits_of(value)); }
std::string shortest(float value) { return with_point(digits_of(value)); }
std::string hex(std::uint64_t value, std::size_t digits) { return right(digits_of(value, 16), digits, '0'); }

std::string bytes_text(double bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  for (; bytes >= 1024 && unit < 4; ++unit) bytes /= 1024;
  int digits = 0;
  if (unit > 0 && bytes < 1000) digits = bytes < 100 ? 2 : 1;
  return fixed(bytes, digits) + " " + units[unit];
}

std::string seconds_text(double seconds) {
  for (const auto& [unit, name] : {std::pair{1.0, " s"}, {1e-3, " ms"}, {1e-6, " us"}})
    if (seconds >= unit) return significant(seconds / unit, 4) + name;
  return significant(1e9 * seconds, 4) + " ns";
}

std::string left(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

std::string right(std::string text, std::size_t width, char fill) {
  if (text.size() < width) text.insert(0, width - text.size(), fill);
  return text;
}

}  // namespace tesserec
