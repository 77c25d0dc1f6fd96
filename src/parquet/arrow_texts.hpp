// SPDX-License-Identifier: Apache-2.0
/// Texts of single values of a Parquet column, each by a function from a value and a buffer of number_bytes.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include <arrow/util/decimal.h>
#include <parquet/types.h>

#include <tesserec/core/error.hpp>

namespace tesserec::parquet {

inline constexpr std::size_t number_bytes = 96;  // the longest decimal has 79 characters

template <class T>
std::string_view number_text(T value, char* to) {
  return {to, std::size_t(std::to_chars(to, to + number_bytes, value).ptr - to)};
}

/// Texts of the numbers from 0 to 999, which are most of those of a click log.
struct SmallNumbers {
  static constexpr std::uint32_t count = 1000;
  char texts[count][4] = {};

  constexpr SmallNumbers() {
    for (std::uint32_t n = 0; n < count; ++n)
      for (std::size_t rest = n, at = digits(n); at-- > 0; rest /= 10) texts[n][at] = char('0' + rest % 10);
  }
  static constexpr std::size_t digits(std::uint32_t n) { return std::size_t(1) + (n >= 10) + (n >= 100); }
  constexpr std::string_view text(std::uint32_t n) const { return {texts[n], digits(n)}; }
};
inline constexpr SmallNumbers small_numbers;

/// Text of a number of type T, which Parquet stores in a wider or signed one. A whole float has the text of an integer,
/// so that a column with missing values, which some programs store as floats, has the ids of one without.
template <class T>
struct NumberText {
  template <class Stored>
  std::string_view operator()(Stored value, char* to) const {
    if constexpr (std::is_integral_v<T>)
      if (std::make_unsigned_t<T>(value) < SmallNumbers::count) return small_numbers.text(std::uint32_t(value));
    if constexpr (std::is_floating_point_v<T>) {
      constexpr T most = T(std::int64_t{1} << std::numeric_limits<double>::digits);
      if (std::abs(value) < most && std::trunc(value) == value) return number_text(std::int64_t(value), to);
    }
    return number_text(static_cast<T>(value), to);
  }
};

struct TruthText {
  std::string_view operator()(bool value, char*) const { return value ? "1" : "0"; }
};

struct BytesText {
  std::string_view operator()(const ::parquet::ByteArray& value, char*) const {
    __builtin_prefetch(value.ptr);  // whoever takes the row reads it
    return {reinterpret_cast<const char*>(value.ptr), value.len};
  }
};

struct DayText {
  std::string_view operator()(std::int32_t days, char* to) const { return number_text(std::int64_t{86400} * days, to); }
};

/// Writes a time in seconds as an exact decimal. `fraction`: from 0, below `per_second`, behind the whole seconds.
inline std::string_view time_text(std::int64_t seconds, std::int64_t fraction, std::int64_t per_second, char* to) {
  if (fraction == 0) return number_text(seconds, to);
  const bool negative = seconds < 0;
  if (negative) *to = '-';
  if (negative) seconds = -(seconds + 1);
  if (negative) fraction = per_second - fraction;
  char* end = std::to_chars(to + negative, to + number_bytes, seconds).ptr;
  for (*end++ = '.'; fraction > 0; fraction = 10 * fraction % per_second)
    *end++ = char('0' + 10 * fraction / per_second);
  return {to, std::size_t(end - to)};
}

/// Text of a time since 1970 or of a day, in seconds.
struct TimeText {
  std::int64_t per_second;  ///< units in a second

  std::string_view operator()(std::int64_t value, char* to) const {
    const std::int64_t fraction = (value % per_second + per_second) % per_second;
    return time_text(value / per_second - (value % per_second < 0 ? 1 : 0), fraction, per_second, to);
  }
};

/// Text of a time of 96 bits: nanoseconds of a day, and the day of the Julian calendar.
struct LongTimeText {
  std::string_view operator()(const ::parquet::Int96& value, char* to) const {
    constexpr std::int64_t first_day = 2440588, per_second = 1000000000;
    const std::uint64_t nanoseconds = std::uint64_t{value.value[1]} << 32 | value.value[0];
    const std::int64_t seconds =
        86400 * (std::int64_t{value.value[2]} - first_day) + std::int64_t(nanoseconds / per_second);
    return time_text(seconds, std::int64_t(nanoseconds % per_second), per_second, to);
  }
};

/// Text of a decimal number without zeros at its end, so that 3.50 and 3.5 have one id.
struct DecimalText {
  std::int32_t scale;   ///< digits behind the point
  std::int32_t length;  ///< bytes of a value of fixed length
  std::string place;    ///< file and column, for messages

  std::string_view operator()(std::int64_t value, char* to) const { return text(std::to_string(value), to); }
  std::string_view operator()(const ::parquet::ByteArray& value, char* to) const {
    return of_bytes(value.ptr, std::int32_t(value.len), to);
  }
  std::string_view operator()(const ::parquet::FixedLenByteArray& value, char* to) const {
    return of_bytes(value.ptr, length, to);
  }

 private:
  std::string_view of_bytes(const std::uint8_t* bytes, std::int32_t count, char* to) const {
    constexpr std::int32_t short_bytes = 16;
    if (count > short_bytes) return of_number(arrow::Decimal256::FromBigEndian(bytes, count), count, to);
    return of_number(arrow::Decimal128::FromBigEndian(bytes, count), count, to);
  }

  template <class Decimal>
  std::string_view of_number(const arrow::Result<Decimal>& number, std::int32_t count, char* to) const {
    if (!number.ok()) fail(place, " has a decimal of ", count, " bytes, but 1 to 32 can be read; write the file anew");
    return text(number->ToIntegerString(), to);
  }

  std::string_view text(std::string digits, char* to) const {
    const bool negative = digits.starts_with('-');
    if (negative) digits.erase(0, 1);
    if (std::int32_t(digits.size()) <= scale) digits.insert(0, std::size_t(scale) + 1 - digits.size(), '0');
    if (scale > 0) {
      digits.insert(digits.size() - std::size_t(scale), 1, '.');
      while (digits.back() == '0') digits.pop_back();
      if (digits.back() == '.') digits.pop_back();
    }
    if (negative) digits.insert(0, 1, '-');
    std::memcpy(to, digits.data(), digits.size());
    return {to, digits.size()};
  }
};

}  // namespace tesserec::parquet
