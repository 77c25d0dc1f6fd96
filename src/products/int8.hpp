// SPDX-License-Identifier: Apache-2.0
/// Products of codes of 8 bits, with one definition for all instruction sets. A row of x has codes q from 0 to 255, a
/// scale s and the code z of 0; a column of w^T has codes c from -127 to 127 and a scale t:
///   x = s (q - z),  w = t c,  y = fma(float(sum of (q - z) c), s t, bias)
/// The sum is exact, so its order is free. s = (max - min) / 255 over a row and 0, t = max |w| / 127 over a column;
/// codes are rounded to nearest, ties to even. Four codes, neighbors in depth, are a word, the first in the low byte.
#pragma once

#include <tesserec/core/index.hpp>

namespace tesserec::products {

/// Memory for the scales of packed columns, and for the sums of their codes as bits of integers, both in panels.
struct CodedColumnsOut {
  float* scales = nullptr;
  float* sums = nullptr;
};

/// Packs rows [p * width, (p + 1) * width) of w [out, in] into panel p of codes of w^T, [(in + 3) / 4][width] words.
/// Padding is 0.
void pack_codes(Index out, Index in, Index p, const float* w, float* codes, const CodedColumnsOut& to);

}  // namespace tesserec::products
