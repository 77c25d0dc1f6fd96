// SPDX-License-Identifier: Apache-2.0
#include "int8.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "panels.hpp"
#include <tesserec/core/kernel.hpp>

namespace tesserec::products {
namespace {

constexpr Index word_codes = 4;
constexpr float most_weight = 127.0f, most_code = 255.0f;
constexpr float to_integer = 0x1.8p23f;  // added, it rounds a number below 2^22 to an integer, ties to even

/// Returns a number below 2^22 rounded to nearest, ties to even.
TESSEREC_HOST_FUNCTION std::int32_t nearest(float v) {
  return std::bit_cast<std::int32_t>(v + to_integer) - std::bit_cast<std::int32_t>(to_integer);
}

/// Returns 1 / scale, or 0 for a scale of 0.
float inverse(float scale) { return scale > 0.0f ? 1.0f / scale : 0.0f; }
/// Returns a scale, or 0 instead of one whose inverse is not finite.
float normal(float scale) { return scale < std::numeric_limits<float>::min() ? 0.0f : scale; }

/// Largest and least number of a row and 0, as bits: the bits of positive numbers are in order as integers, those of
/// negative ones, by magnitude, as integers without a sign. Infinities and NaN are beyond all numbers. A row with
/// one has NaN as its scale, whatever its codes, which depend on the processor's 0 times infinity.
struct RowRange {
  std::int32_t high = 0;
  std::uint32_t low = 0;

  float most() const { return std::bit_cast<float>(high); }
  float least() const { return low > sign_bit ? std::bit_cast<float>(low) : 0.0f; }

  static constexpr std::uint32_t sign_bit = 0x80000000u;
};

/// Finds the ranges of `rows` rows of panels that lie `panel` floats apart.
template <Index width>
TESSEREC_KERNEL void find_ranges(Index rows, Index columns, const float* x, Index panel, RowRange* to) {
  for (Index row = 0; row < rows; ++row) {
    std::int32_t high[width] = {};
    std::uint32_t low[width] = {};
    const float* from = x + row * width;
    const auto raise = [&](Index count) {
      for (Index c = 0; c < count; ++c) {
        const auto bits = std::bit_cast<std::int32_t>(from[c]);
        high[c] = bits > high[c] ? bits : high[c];
        low[c] = std::uint32_t(bits) > low[c] ? std::uint32_t(bits) : low[c];
      }
    };
    Index c = 0;
    for (; c + width <= columns; c += width, from += panel) raise(width);
    if (c < columns) raise(columns - c);
    RowRange found;
    for (Index i = 0; i < width; ++i) {
      found.high = high[i] > found.high ? high[i] : found.high;
      found.low = low[i] > found.low ? low[i] : found.low;
    }
    to[row] = found;
  }
}

/// Makes the codes of one panel's rows. Row r's codes begin at `to` + r * stride.
template <Index width>
TESSEREC_KERNEL void code_panel(Index rows, const float* x, const float* inverses, const std::int32_t* zeros,
                                std::uint8_t* to, Index stride) {
  for (Index row = 0; row < rows; ++row, x += width, to += stride) {
    const float by = inverses[row];
    const std::int32_t zero = zeros[row];
    for (Index c = 0; c < width; ++c) {
      const std::int32_t code = nearest(x[c] * by) + zero, positive = code < 0 ? 0 : code;
      to[c] = std::uint8_t(positive > 255 ? 255 : positive);
    }
  }
}

template <Index width>
TESSEREC_KERNEL void finish_panel(Index rows, const float* row_scales, const float* scales, const float* sums,
                                  const float* bias, bool relu, float* c) {
  const float least = relu ? 0.0f : -std::numeric_limits<float>::infinity();
  std::uint32_t of_column[width];
  std::memcpy(of_column, sums, sizeof of_column);
  for (Index row = 0; row < rows; ++row, c += width) {
    const float scale = row_scales[2 * row];
    const auto zero = std::bit_cast<std::uint32_t>(row_scales[2 * row + 1]);
    for (Index i = 0; i < width; ++i) {
      const auto sum = std::int32_t(std::bit_cast<std::uint32_t>(c[i]) - zero * of_column[i]);
      const float y = std::fma(float(sum), scale * scales[i], bias[i]);
      c[i] = y < least ? least : y;
    }
  }
}

template <class T>
float as_float(T integer) {
  return std::bit_cast<float>(integer);
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

void make_codes(Index rows, Index columns, const float* x, float* words, float* scales) {
  constexpr Index some = 128;  // rows at a time: a chunk
  RowRange ranges[some];
  float inverses[some];
  std::int32_t zeros[some];
  const Index stride = kernels().width * word_codes;  // bytes of a row of words
  auto* const bytes = reinterpret_cast<std::uint8_t*>(words);
  with_width(kernels().width, [&](auto width) {
    for (Index begin = 0; begin < rows; begin += some) {
      const Index count = std::min(some, rows - begin);
      find_ranges<width>(count, columns, x + begin * width, rows * width, ranges);
      for (Index row = 0; row < count; ++row) {
        const RowRange& of = ranges[row];
        const float scale = normal(of.most() / most_code - of.least() / most_code);
        inverses[row] = inverse(scale);
        zeros[row] = inverses[row] > 0.0f ? nearest(-of.least() * inverses[row]) : 0;
        scales[2 * (begin + row)] = std::isfinite(scale) ? scale : std::numeric_limits<float>::quiet_NaN();
        scales[2 * (begin + row) + 1] = as_float(zeros[row]);
      }
      for (Index first = 0; first < columns; first += width) {
        const Index panel = first / width;
        std::uint8_t* const to = bytes + (panel / word_codes * rows + begin) * stride + panel % word_codes * width;
        code_panel<width>(count, x + (panel * rows + begin) * width, inverses, zeros, to, stride);
      }
    }
  });
}

void finish_sums(Index rows, Index columns, const float* row_scales, const CodedColumns& of, const float* bias,
                 bool relu, float* c) {
  with_width(kernels().width, [&](auto width) {
    for (Index first = 0; first < columns; first += width)
      finish_panel<width>(rows, row_scales, of.scales + first, of.sums + first, bias + first, relu, c + first * rows);
  });
}

}  // namespace tesserec::products
