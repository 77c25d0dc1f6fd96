// SPDX-License-Identifier: Apache-2.0
/// Copies and sums of rows that pooling reads from a shard. The functions are inlined into the kernels that call them.
#pragma once

#include <algorithm>

#include <tesserec/core/kernel.hpp>
#include <tesserec/embedding/pooling.hpp>

namespace tesserec::embedding {

inline constexpr Index rows_ahead = 12;  // rows; 8 to 16 took equal times on the machines measured
inline constexpr Index row_line = 16;    // floats of a cache line
inline constexpr Index row_line_bytes = 64;

/// Vector of 16 floats. Explicit, because GCC unrolls a loop of so few iterations into scalar code.
using Line [[gnu::vector_size(64), gnu::aligned(4), gnu::may_alias]] = float;

/// Computes to = a + b; `to` may alias either.
TESSEREC_HOST_FUNCTION void add_row(Index dim, const float* a, const float* b, float* to) {
  Index c = 0;
  for (; c + row_line <= dim; c += row_line)
    reinterpret_cast<Line&>(to[c]) = reinterpret_cast<const Line&>(a[c]) + reinterpret_cast<const Line&>(b[c]);
  for (; c < dim; ++c) to[c] = a[c] + b[c];
}

/// Computes to = a + 0, which makes +0 of -0.
TESSEREC_HOST_FUNCTION void add_zero(Index dim, const float* a, float* to) {
  Index c = 0;
  for (; c + row_line <= dim; c += row_line)
    reinterpret_cast<Line&>(to[c]) = reinterpret_cast<const Line&>(a[c]) + Line{};
  for (; c < dim; ++c) to[c] = a[c] + 0.0f;
}

/// Widens a row of 16 bits.
template <class Format>
TESSEREC_HOST_FUNCTION void widen_row(Format format, const typename Format::Number* row, Index dim, float* to) {
  for (Index c = 0; c < dim; ++c) to[c] = format.widen(row[c]);
}

/// Prefetches a row.
template <class Number>
TESSEREC_HOST_FUNCTION void prefetch_row(const Number* row, Index dim) {
  for (Index c = 0; c < dim; c += row_line_bytes / Index{sizeof(Number)}) __builtin_prefetch(row + c);
}

/// Copies the row of each id of bags [first, last).
template <class Format, class Row>
TESSEREC_HOST_FUNCTION void copy_rows(const Bags& bags, Range range, Index dim, const Row& row, float* out) {
  const Index stride = bags.sums_stride > 0 ? bags.sums_stride : dim, end = bags.offsets[range.end];
  for (Index i = bags.offsets[range.begin]; i < end; ++i) {
    if (i + rows_ahead < end) prefetch_row(row(i + rows_ahead), dim);
    float* const to = out + (i - bags.offsets[0]) * stride;
    if constexpr (Format::is_short)
      widen_row(Format(), row(i), dim, to);
    else
      std::copy_n(row(i), dim, to);
  }
}

/// Returns whether each bag in the range has one id.
TESSEREC_HOST_FUNCTION bool are_single(const Bags& bags, Range range) {
  Index others = 0;
  for (Index bag = range.begin; bag < range.end; ++bag) others |= bags.length(bag) ^ 1;
  return others == 0;
}

/// Writes the rows of bags that have one id each, without weights, `stride` floats apart: a sum of one row is the row,
/// with +0 for -0.
template <class Format, class Row>
TESSEREC_HOST_FUNCTION void copy_singles(const Bags& bags, Range range, Index dim, const Row& row, Index stride,
                                         float* out) {
  const Index begin = bags.offsets[range.begin], count = range.size();
  out += range.begin * stride;
  for (Index i = 0; i < count; ++i, out += stride) {
    if (i + rows_ahead < count) prefetch_row(row(begin + i + rows_ahead), dim);
    const auto* const from = row(begin + i);
    if constexpr (Format::is_short) {
      for (Index c = 0; c < dim; ++c) out[c] = Format().widen(from[c]) + 0.0f;
    } else {
      add_zero(dim, from, out);
    }
  }
}

}  // namespace tesserec::embedding
