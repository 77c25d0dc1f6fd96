// SPDX-License-Identifier: Apache-2.0
#include "int8.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "panels.hpp"
#include <tesserec/core/kernel.hpp>

namespace tesserec::products {
namespace {

constexpr Index word_codes = 4;
constexpr Index some_rows = 16, most_width = 32;  // few rows, so that they stay in L1 between passes
constexpr float most_weight = 127.0f, most_code = 255.0f, not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float to_integer = 0x1.8p23f;  // added, it rounds a number below 2^22 to an integer, ties to even

/// Returns a number below 2^22 rounded to nearest, ties to even.
TESSEREC_HOST_FUNCTION std::int32_t nearest(float v) {
  return std::bit_cast<std::int32_t>(v + to_integer) - std::bit_cast<std::int32_t>(to_integer);
}

/// Returns 1 / scale, or 0 for a scale of 0. The division has no condition, so that loops become vector code.
TESSEREC_HOST_FUNCTION float inverse(float scale) {
  const float by = 1.0f / (scale > 0.0f ? scale : 1.0f);
  return scale > 0.0f ? by : 0.0f;
}
/// Returns a scale, or 0 instead of one whose inverse is not finite.
TESSEREC_HOST_FUNCTION float normal(float scale) { return scale < std::numeric_limits<float>::min() ? 0.0f : scale; }

/// Largest and least number of a row and 0, as bits: the bits of positive numbers are in order as integers, those of
/// negative ones, by magnitude, as integers without a sign. Infinities and NaN are beyond all numbers. A row with
/// one has NaN as its scale, whatever its codes, which depend on the processor's 0 times infinity.
struct RowRange {
  std::int32_t high = 0;
  std::uint32_t low = 0;

  TESSEREC_HOST_FUNCTION float most() const { return std::bit_cast<float>(high); }
  TESSEREC_HOST_FUNCTION float least() const { return low > sign_bit ? std::bit_cast<float>(low) : 0.0f; }

  static constexpr std::uint32_t sign_bit = 0x80000000u;
};

/// Finds the ranges of `rows` rows from `x` on, which lie as `lie` says.
template <Index width>
TESSEREC_KERNEL void find_ranges(Index rows, Index columns, const float* x, const UncodedRows& lie, RowRange* to) {
  for (Index row = 0; row < rows; ++row) {
    std::int32_t high[width] = {};
    std::uint32_t low[width] = {};
    const float* from = x + row * lie.row_stride;
    const auto raise = [&](Index count) {
      for (Index c = 0; c < count; ++c) {
        const auto bits = std::bit_cast<std::int32_t>(from[c]);
        high[c] = bits > high[c] ? bits : high[c];
        low[c] = std::uint32_t(bits) > low[c] ? std::uint32_t(bits) : low[c];
      }
    };
    Index c = 0;
    for (; c + width <= columns; c += width, from += lie.panel_stride) raise(width);
    if (c < columns) raise(columns - c);
    RowRange found;
    for (Index i = 0; i < width; ++i) {
      found.high = high[i] > found.high ? high[i] : found.high;
      found.low = low[i] > found.low ? low[i] : found.low;
    }
    to[row] = found;
  }
}

/// Finds the ranges of rows whose largest bits lie in CodedSums::ranges.
template <Index width>
TESSEREC_KERNEL void reduce_ranges(Index rows, const float* from, RowRange* to) {
  for (Index row = 0; row < rows; ++row, from += width) {
    RowRange found;
    for (Index i = 0; i < width / 2; ++i) {
      const auto high = std::bit_cast<std::int32_t>(from[i]);
      const auto low = std::bit_cast<std::uint32_t>(from[width / 2 + i]);
      found.high = high > found.high ? high : found.high;
      found.low = low > found.low ? low : found.low;
    }
    to[row] = found;
  }
}

/// Scales' inverses and codes of 0 of a few rows.
struct RowCodes {
  float inverses[some_rows];
  std::int32_t zeros[some_rows];
};

template <class T>
TESSEREC_HOST_FUNCTION float as_float(T integer) {
  return std::bit_cast<float>(integer);
}

/// Finds scales and codes of 0 of rows from their ranges.
TESSEREC_KERNEL void make_scales(Index rows, const RowRange* ranges, RowCodes& to, float* scales) {
  for (Index row = 0; row < rows; ++row) {
    const float least = ranges[row].least();
    const float scale = normal(ranges[row].most() / most_code - least / most_code), by = inverse(scale);
    to.inverses[row] = by;
    to.zeros[row] = nearest(-least * by);
    scales[2 * row] = std::fabs(scale) <= std::numeric_limits<float>::max() ? scale : not_a_number;
    scales[2 * row + 1] = as_float(to.zeros[row]);
  }
}

/// Vectors of n elements. Explicit, because GCC takes half a register for loops of few iterations.
template <Index n>
struct PartVectors {
  using Floats [[gnu::vector_size(4 * n), gnu::aligned(4), gnu::may_alias]] = float;
  using Signed [[gnu::vector_size(4 * n)]] = std::int32_t;
  using Unsigned [[gnu::vector_size(4 * n)]] = std::uint32_t;
  using Bytes [[gnu::vector_size(n), gnu::aligned(1), gnu::may_alias]] = std::uint8_t;
};

/// Makes the codes of one panel's rows, which begin at `x` + r * x_stride. Row r's codes begin at `to` + r * stride.
template <Index width>
TESSEREC_KERNEL void code_panel(Index rows, const float* x, Index x_stride, const RowCodes& of, std::uint8_t* to,
                                Index stride) {
  constexpr Index n = width < 16 ? width : 16;
  using V = PartVectors<n>;
  for (Index row = 0; row < rows; ++row, x += x_stride, to += stride) {
    const float by = of.inverses[row];
    const std::uint32_t zero = std::uint32_t(of.zeros[row]) - std::bit_cast<std::uint32_t>(to_integer);
    for (Index c = 0; c < width; c += n) {
      const typename V::Floats rounded = reinterpret_cast<const typename V::Floats&>(x[c]) * by + to_integer;
      const auto code = (typename V::Signed)((typename V::Unsigned)rounded + zero);
      const typename V::Signed positive = code < 0 ? 0 : code;
      const typename V::Signed clamped = positive > 255 ? 255 : positive;
      reinterpret_cast<typename V::Bytes&>(to[c]) = __builtin_convertvector(clamped, typename V::Bytes);
    }
  }
}

}  // namespace

void pack_codes(Index out, Index in, Index p, const float* w, float* codes, const CodedColumnsOut& to) {
  const Index width = kernels().width, depth = depth_of(Precision::int8, in), first = p * width;
  auto* const bytes = reinterpret_cast<std::int8_t*>(codes + first * depth);
  std::fill_n(bytes, depth * width * word_codes, std::int8_t{0});
  for (Index o = first; o < first + width; ++o) {
    const float* const from = w + o * in;
    float most = 0.0f;
    for (Index i = 0; o < out && i < in; ++i) most = std::max(most, std::fabs(from[i]));
    const float scale = normal(most / most_weight), by = inverse(scale);
    std::int32_t sum = 0;
    for (Index i = 0; o < out && i < in; ++i) {
      const std::int32_t code = std::clamp(nearest(from[i] * by), -127, 127);
      bytes[(i / word_codes * width + o - first) * word_codes + i % word_codes] = std::int8_t(code);
      sum += code;
    }
    to.scales[o] = scale;
    to.sums[o] = as_float(sum);
  }
}

void make_codes(Index rows, Index columns, const UncodedRows& x, float* words, float* scales) {
  RowRange found[some_rows];
  RowCodes codes;
  float last_panel[some_rows * most_width] = {};
  const Index stride = kernels().width * word_codes;  // bytes of a row of words
  auto* const bytes = reinterpret_cast<std::uint8_t*>(words);
  with_width(kernels().width, [&](auto width) {
    static_assert(width <= most_width);
    for (Index begin = 0; begin < rows; begin += some_rows) {
      const Index count = std::min(some_rows, rows - begin);
      const float* const from = x.data + begin * x.row_stride;
      if (x.ranges != nullptr)
        reduce_ranges<width>(count, x.ranges + begin * width, found);
      else
        find_ranges<width>(count, columns, from, x, found);
      make_scales(count, found, codes, scales + 2 * begin);
      for (Index first = 0, panel = 0; first < columns; first += width, ++panel) {
        std::uint8_t* const to = bytes + (panel / word_codes * rows + begin) * stride + panel % word_codes * width;
        const float* const numbers = from + panel * x.panel_stride;
        const Index last = columns - first;
        if (x.is_padded || last >= width) {
          code_panel<width>(count, numbers, x.row_stride, codes, to, stride);
          continue;
        }
        for (Index row = 0; row < count; ++row)
          std::copy_n(numbers + row * x.row_stride, last, last_panel + row * width);
        code_panel<width>(count, last_panel, width, codes, to, stride);
      }
    }
  });
}

}  // namespace tesserec::products
