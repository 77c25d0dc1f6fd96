// SPDX-License-Identifier: Apache-2.0
#include "kept_columns.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <limits>

#include <tesserec/core/kernel.hpp>

namespace tesserec::preprocess {
namespace {

constexpr std::int32_t most_integer = std::numeric_limits<std::int32_t>::max(), missing_integer = -most_integer - 1;

/// Converts numbers to integers, NaN to missing_integer. Returns whether integers keep all bits, and their largest
/// magnitude.
TESSEREC_KERNEL bool to_integers(const double* numbers, Index count, std::int32_t* integers, std::int32_t* magnitude) {
  std::uint64_t lost = 0;
  std::int32_t most = 0;
  for (Index i = 0; i < count; ++i) {
    const double x = numbers[i];
    const bool fits = x >= -double(most_integer) && x <= double(most_integer);
    const auto integer = std::int32_t(fits ? x : 0.0);
    const std::uint64_t differs = std::bit_cast<std::uint64_t>(double(integer)) ^ std::bit_cast<std::uint64_t>(x);
    lost |= x == x ? differs : 0;
    most = std::max(most, integer < 0 ? -integer : integer);
    integers[i] = x == x ? integer : missing_integer;
  }
  *magnitude = most;
  return lost == 0;
}

/// Appends a list whose elements become those of `T`.
template <class T, class From, class Convert>
void pack_as(std::span<const From> from, const Convert& convert, std::string& bytes) {
  std::vector<T> list(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) list[i] = static_cast<T>(convert(from[i]));
  pack_number(sizeof(T), bytes);
  bytes.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T));
}

/// Appends integers as those of `T`, whose least one stands for a missing one.
template <class T>
void pack_integers(std::span<const std::int32_t> integers, std::string& bytes) {
  constexpr T missing = std::numeric_limits<T>::min();
  pack_as<T>(
      integers, [](std::int32_t x) { return x == missing_integer ? missing : T(x); }, bytes);
}

/// Reads `to.size()` elements of type `From`.
template <class From, class To, class Convert>
void unpack_as(Unpacker& bytes, const Convert& convert, std::vector<To>& to) {
  const std::string_view from = bytes.bytes(to.size() * sizeof(From));
  for (std::size_t i = 0; i < to.size(); ++i) {
    From value;
    std::memcpy(&value, from.data() + i * sizeof(From), sizeof(From));
    to[i] = convert(value);
  }
}

template <class T>
void unpack_integers(Unpacker& bytes, std::vector<double>& numbers) {
  constexpr double missing = std::numeric_limits<double>::quiet_NaN();
  unpack_as<T>(
      bytes, [](T x) { return x == std::numeric_limits<T>::min() ? missing : double(x); }, numbers);
}

}  // namespace

void pack_numbers(std::span<const double> numbers, std::string& bytes) {
  std::vector<std::int32_t> integers(numbers.size());
  std::int32_t magnitude = 0;
  if (!to_integers(numbers.data(), std::ssize(numbers), integers.data(), &magnitude))
    pack_as<double>(numbers, std::identity(), bytes);
  else if (magnitude <= std::numeric_limits<std::int8_t>::max())
    pack_integers<std::int8_t>(integers, bytes);
  else if (magnitude <= std::numeric_limits<std::int16_t>::max())
    pack_integers<std::int16_t>(integers, bytes);
  else
    pack_integers<std::int32_t>(integers, bytes);
}

void pack_values(std::span<const std::uint32_t> values, std::string& bytes) {
  std::uint32_t most = 0;
  for (const std::uint32_t value : values) most = std::max(most, value);
  if (most <= 0xFF)
    pack_as<std::uint8_t>(values, std::identity(), bytes);
  else if (most <= 0xFFFF)
    pack_as<std::uint16_t>(values, std::identity(), bytes);
  else
    pack_as<std::uint32_t>(values, std::identity(), bytes);
}

void unpack_numbers(Unpacker& bytes, std::vector<double>& numbers) {
  const std::uint64_t width = bytes.number();
  if (width == 1) unpack_integers<std::int8_t>(bytes, numbers);
  if (width == 2) unpack_integers<std::int16_t>(bytes, numbers);
  if (width == 4) unpack_integers<std::int32_t>(bytes, numbers);
  if (width == 8) unpack_as<double>(bytes, std::identity(), numbers);
}

void unpack_values(Unpacker& bytes, std::vector<std::uint32_t>& values) {
  const std::uint64_t width = bytes.number();
  if (width == 1) unpack_as<std::uint8_t>(bytes, std::identity(), values);
  if (width == 2) unpack_as<std::uint16_t>(bytes, std::identity(), values);
  if (width == 4) unpack_as<std::uint32_t>(bytes, std::identity(), values);
}

}  // namespace tesserec::preprocess
