// SPDX-License-Identifier: Apache-2.0
#include "int8.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "panels.hpp"

namespace tesserec::products {
namespace {

constexpr Index word_codes = 4;
constexpr float most_weight = 127.0f;
constexpr float to_integer = 0x1.8p23f;  // added, it rounds a number below 2^22 to an integer, ties to even

/// Returns a number below 2^22 rounded to nearest, ties to even.
std::int32_t nearest(float v) {
  return std::bit_cast<std::int32_t>(v + to_integer) - std::bit_cast<std::int32_t>(to_integer);
}

/// Returns 1 / scale, or 0 for a scale of 0.
float inverse(float scale) { return scale > 0.0f ? 1.0f / scale : 0.0f; }
/// Returns a scale, or 0 instead of one whose inverse is not finite.
float normal(float scale) { return scale < std::numeric_limits<float>::min() ? 0.0f : scale; }

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
    to.sums[o] = std::bit_cast<float>(sum);
  }
}

}  // namespace tesserec::products
