// SPDX-License-Identifier: Apache-2.0
/// Sums of squares over a row by the law: blocks of 4 columns in order with fma from +0, blocks by the fixed tree.
#pragma once

#include <cmath>

#include <tesserec/core/kernel.hpp>
#include <tesserec/core/tree.hpp>

namespace tesserec::optim {

/// Sum of x(i)^2 over columns [first, min(first + 4, n)).
template <class Value>
TESSEREC_HOST_FUNCTION float block_squares(const Value& x, Index first, Index n) {
  const auto add = [](float sum, float value) __attribute__((always_inline)) { return std::fma(value, value, sum); };
  if (first + 4 <= n) return add(add(add(add(0.0f, x(first)), x(first + 1)), x(first + 2)), x(first + 3));
  float sum = 0.0f;
  for (Index i = first; i < n; ++i) sum = add(sum, x(i));
  return sum;
}

/// Target of sums over a whole row of n columns.
struct WholeRow {
  Index n;
  float* totals;  // [sums]

  template <class Value>
  TESSEREC_HOST_FUNCTION void operator()(int k, const Value& x) const {
    float sums[64];  // of whole subtrees, the largest first
    int size = 0;
    for (Index block = 0; block * 4 < n; ++block) {
      float sum = block_squares(x, block * 4, n);
      for (Index b = block; b & 1; b >>= 1) sum = sums[--size] + sum;  // block + 1 has that many trailing zeros
      sums[size++] = sum;
    }
    float sum = size > 0 ? sums[--size] : 0.0f;
    while (size > 0) sum = sums[--size] + sum;
    totals[k] = sum;
  }
};

/// Target of sums over the subtrees of some columns.
struct Subtrees {
  Range columns;
  float* sums;  // [sums, subtrees]

  template <class Value>
  TESSEREC_HOST_FUNCTION void operator()(int k, const Value& x) const {
    const Range blocks{columns.begin / 4, (columns.end + 3) / 4};
    TreeOrder tree(blocks);
    float slots[TreeOrder::max_slots];
    const auto add = [&](int into, int from) { slots[into] += slots[from]; };
    for (Index block = blocks.begin; block < blocks.end; ++block) {
      const float sum = block_squares(x, block * 4 - columns.begin, columns.size());
      slots[tree.push(block, add)] = sum;
    }
    tree.finish(add);
    for (int i = 0; i < tree.size(); ++i) sums[k * tree.size() + i] = slots[i];
  }
};

}  // namespace tesserec::optim
