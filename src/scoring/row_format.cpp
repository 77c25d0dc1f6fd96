// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include <tesserec/core/error.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/number_type.hpp>
#include <tesserec/core/short_floats.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/scoring/row_format.hpp>

namespace tesserec::scoring {
namespace {

constexpr Index prefetch_distance = 8;      // rows, as pooling does
constexpr double rounded_up = 1.0 + 1e-12;  // exceeds what the sum of a row's squares loses in double

/// Scale and bias of a row with codes.
struct Codes {
  float scale, bias;
};

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
void save(T value, std::byte* to) {
  std::memcpy(to, &value, sizeof value);
}

std::pair<float, float> bounds_of(const float* row, Index dim) {
  const auto [least, largest] = std::minmax_element(row, row + dim);
  return {*least, *largest};
}

TESSEREC_KERNEL void write_int8(Index dim, const float* from, std::byte* to) {
  const auto [least, largest] = bounds_of(from, dim);
  const float span = largest - least, inverse = 255.0f / (span + 1e-8f);
  auto* const codes = reinterpret_cast<std::uint8_t*>(to);
  for (Index c = 0; c < dim; ++c) codes[c] = std::uint8_t(std::int32_t(std::nearbyint((from[c] - least) * inverse)));
  save(span / 255.0f, to + dim);
  save(least, to + dim + sizeof(float));
}

/// Bits of a code of FBGEMM's row-wise formats of half a byte or less.
template <int bits>
struct SmallCodes {
  static constexpr Index per_byte = 8 / bits;
  static constexpr int most = (1 << bits) - 1;
};

/// Writes a row of codes of `bits` bits.
template <int bits>
TESSEREC_HOST_FUNCTION void write_small(Index dim, const float* from, std::byte* to) {
  using Small = SmallCodes<bits>;
  const auto [least, largest] = bounds_of(from, dim);
  const std::uint16_t bias_bits = to_fp16(least);
  const float bias = from_fp16(bias_bits), span = largest - bias;
  std::uint16_t scale_bits = to_fp16(span == 0.0f ? 1.0f : span / float(Small::most));
  if (from_fp16(scale_bits) == 0.0f || std::isinf(1.0f / from_fp16(scale_bits))) scale_bits = to_fp16(1.0f);
  const float inverse = 1.0f / from_fp16(scale_bits);
  auto* const codes = reinterpret_cast<std::uint8_t*>(to);
  for (Index c = 0; c < dim; c += Small::per_byte) {
    int byte = 0;
    for (int i = 0; i < Small::per_byte; ++i) {
      const float code = std::clamp(std::nearbyint((from[c + i] - bias) * inverse), 0.0f, float(Small::most));
      byte |= std::int32_t(code) << i * bits;
    }
    codes[c / Small::per_byte] = std::uint8_t(byte);
  }
  save(scale_bits, to + dim / Small::per_byte);
  save(bias_bits, to + dim / Small::per_byte + sizeof bias_bits);
}

TESSEREC_KERNEL void write_int4(Index dim, const float* from, std::byte* to) { write_small<4>(dim, from, to); }
TESSEREC_KERNEL void write_int2(Index dim, const float* from, std::byte* to) { write_small<2>(dim, from, to); }

TESSEREC_HOST_FUNCTION void read_int8(Index dim, const std::byte* from, float* to) {
  const auto* const codes = reinterpret_cast<const std::uint8_t*>(from);
  const Codes of{load<float>(from + dim), load<float>(from + dim + sizeof(float))};
  for (Index c = 0; c < dim; ++c) to[c] = std::fma(float(std::int32_t(codes[c])), of.scale, of.bias);
}

/// Reads a row of codes of `bits` bits.
template <int bits>
TESSEREC_HOST_FUNCTION void read_small(Index dim, const std::byte* from, float* to) {
  using Small = SmallCodes<bits>;
  const auto* const codes = reinterpret_cast<const std::uint8_t*>(from);
  const std::byte* const end = from + dim / Small::per_byte;
  const Codes of{from_fp16(load<std::uint16_t>(end)), from_fp16(load<std::uint16_t>(end + sizeof(std::uint16_t)))};
  for (Index byte = 0; byte < dim / Small::per_byte; ++byte)
    for (int i = 0; i < Small::per_byte; ++i)
      to[byte * Small::per_byte + i] =
          std::fma(float(std::int32_t(codes[byte] >> i * bits & Small::most)), of.scale, of.bias);
}

/// Calls read(row) for n rows, with prefetches. `at(i)` returns row i's address.
template <class At, class Read>
TESSEREC_HOST_FUNCTION void each_row(Index n, Index bytes, const At& at, const Read& read) {
  constexpr Index line = 64;  // bytes
  for (Index i = 0; i < n; ++i) {
    if (i + prefetch_distance < n)
      for (Index b = 0; b < bytes; b += line) __builtin_prefetch(at(i + prefetch_distance) + b);
    read(i);
  }
}

/// Reads coded rows by read(row, to). `rows` = null: rows 0, 1, 2, ...
template <class Read>
TESSEREC_HOST_FUNCTION void read_each(const Index* rows, Index n, Index bytes, const std::byte* table,
                                      const Read& read) {
  const auto at = [&](Index i) { return table + (rows == nullptr ? i : std::max<Index>(rows[i], 0)) * bytes; };
  each_row(n, bytes, at, [&](Index i) {
    if (rows == nullptr || rows[i] >= 0) read(at(i), i);
  });
}

TESSEREC_KERNEL void read_coded(ServedFormat format, const Index* rows, Index n, Index dim, const std::byte* table,
                                float* to) {
  const Index bytes = row_bytes(format, dim);
  if (format == ServedFormat::int8)
    read_each(rows, n, bytes, table, [&](const std::byte* row, Index i) { read_int8(dim, row, to + i * dim); });
  else if (format == ServedFormat::int4)
    read_each(rows, n, bytes, table, [&](const std::byte* row, Index i) { read_small<4>(dim, row, to + i * dim); });
  else
    read_each(rows, n, bytes, table, [&](const std::byte* row, Index i) { read_small<2>(dim, row, to + i * dim); });
}

NumberType number_type(ServedFormat format) {
  if (format == ServedFormat::fp32) return NumberType::fp32;
  return format == ServedFormat::fp16 ? NumberType::fp16 : NumberType::bf16;
}

}  // namespace

const std::vector<std::pair<std::string, ServedFormat>>& row_formats() {
  static const std::vector<std::pair<std::string, ServedFormat>> all{
      {"fp32", ServedFormat::fp32}, {"fp16", ServedFormat::fp16}, {"bf16", ServedFormat::bf16},
      {"int8", ServedFormat::int8}, {"int4", ServedFormat::int4}, {"int2", ServedFormat::int2}};
  return all;
}

const std::string& name(ServedFormat format) { return row_formats()[std::size_t(format)].first; }

ServedFormat row_format_named(const std::string& name) {
  for (const auto& [known, format] : row_formats())
    if (known == name) return format;
  fail("there is no row format \"", name,
       "\"; use one of: ", join(row_formats(), ", ", [](const auto& entry) { return entry.first; }));
}

ServedFormat format_of_rows(ServedFormat wanted, Index dim) {
  if (wanted == ServedFormat::int2 && dim % 8 != 0) wanted = ServedFormat::int4;
  return wanted == ServedFormat::int4 && dim % 4 != 0 ? ServedFormat::int8 : wanted;
}

bool is_coded(ServedFormat format) {
  switch (format) {
    case ServedFormat::fp32:
    case ServedFormat::fp16:
    case ServedFormat::bf16:
      return false;
    case ServedFormat::int8:
    case ServedFormat::int4:
    case ServedFormat::int2:
      return true;
  }
  return false;
}

Index row_bytes(ServedFormat format, Index dim) {
  switch (format) {
    case ServedFormat::int8:
      return dim + 2 * Index{sizeof(float)};
    case ServedFormat::int4:
      return dim / 2 + 2 * Index{sizeof(std::uint16_t)};
    case ServedFormat::int2:
      return dim / 4 + 2 * Index{sizeof(std::uint16_t)};
    default:
      return dim * bytes_of(number_type(format));
  }
}

void write_rows(ServedFormat format, Index rows, Index dim, const float* from, std::byte* to) {
  const Index bytes = row_bytes(format, dim);
  if (format == ServedFormat::fp32) {
    std::memcpy(to, from, std::size_t(rows * bytes));
  } else if (!is_coded(format)) {
    narrow(number_type(format), rows * dim, from, reinterpret_cast<std::uint16_t*>(to));
  } else {
    auto* write = write_int8;
    if (format != ServedFormat::int8) write = format == ServedFormat::int4 ? write_int4 : write_int2;
    for (Index row = 0; row < rows; ++row) write(dim, from + row * dim, to + row * bytes);
  }
}

void read_rows(ServedFormat format, Index rows, Index dim, const std::byte* from, float* to) {
  if (format == ServedFormat::fp32)
    std::memcpy(to, from, std::size_t(rows * row_bytes(format, dim)));
  else if (!is_coded(format))
    widen(number_type(format), rows * dim, reinterpret_cast<const std::uint16_t*>(from), to);
  else
    read_coded(format, nullptr, rows, dim, from, to);
}

void gather_rows(ServedFormat format, const Index* rows, Index n, Index dim, const std::byte* table, float* to) {
  if (is_coded(format)) return read_coded(format, rows, n, dim, table, to);
  const Index bytes = row_bytes(format, dim);
  const auto at = [&](Index i) { return table + std::max<Index>(rows[i], 0) * bytes; };
  each_row(n, bytes, at, [&](Index i) {
    if (rows[i] >= 0) read_rows(format, 1, dim, at(i), to + i * dim);
  });
}

Index raise_errors(Index rows, Index dim, const float* exact, const float* stored, RowErrors& errors) {
  for (Index row = 0; row < rows; ++row) {
    double squares = 0, largest = 0;
    for (Index c = row * dim; c < (row + 1) * dim; ++c) {
      const double difference = double(exact[c]) - double(stored[c]);
      squares += difference * difference;
      largest = std::max(largest, std::abs(difference));
    }
    if (!std::isfinite(squares)) return row;
    errors.number = std::max(errors.number, largest * rounded_up);
    errors.row = std::max(errors.row, std::sqrt(squares) * rounded_up);
  }
  return -1;
}

}  // namespace tesserec::scoring
