// SPDX-License-Identifier: Apache-2.0
/// Loops over the numbers of a sample.
#pragma once

#include <tesserec/core/index.hpp>

namespace tesserec::dense {

/// to += from
void add(Index n, const float* from, float* to);
/// to += factor * from, with fma
void add_scaled(Index n, float factor, const float* from, float* to);
/// to = factor * from
void scale(Index n, float factor, const float* from, float* to);
/// Replaces p by exp(factor * p) over the sum of them, of a few numbers.
void softmax(Index n, float factor, float* p);
/// Adds in eight chains of fma, number i in chain i % 8, added in pairs: they fit registers of any width.
float inner_product(Index n, const float* a, const float* b);

}  // namespace tesserec::dense
