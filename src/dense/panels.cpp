// SPDX-License-Identifier: Apache-2.0
#include "panels.hpp"

#include <algorithm>

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include <tesserec/core/kokkos.hpp>

namespace tesserec::dense {
namespace {

constexpr Index line = 16;  // floats of a cache line; divides every width

/// `columns` of each row, the rest of `width` zero.
template <Index width>
void copy_panel(Index rows, Index columns, Index from_stride, const float* from, float* to) {
  for (Index r = 0; r < rows; ++r, from += from_stride, to += width) {
    if (columns == width) {
      std::copy_n(from, width, to);  // of a size known here: no call
    } else {
      std::copy_n(from, columns, to);
      std::fill(to + columns, to + width, 0.0f);
    }
  }
}

void copy_panel(Index rows, Index columns, Index width, Index from_stride, const float* from, float* to) {
  if (width == 16)
    copy_panel<16>(rows, columns, from_stride, from, to);
  else
    copy_panel<32>(rows, columns, from_stride, from, to);
}

/// `columns` of each row back.
template <Index width>
void copy_back(Index rows, Index columns, const float* from, float* to, Index to_stride) {
  for (Index r = 0; r < rows; ++r, from += width, to += to_stride) {
    if (columns == width)
      std::copy_n(from, width, to);
    else
      for (Index c = 0; c < columns; ++c) to[c] = from[c];
  }
}

/// Four rows and columns of w to [.][width] turned and, unless null, to [.][width] as they are.
inline void pack_four(Index stride, Index width, const float* w, float* turned, float* straight) {
#ifdef __SSE2__
  __m128 r[4];
  for (Index i = 0; i < 4; ++i) r[i] = _mm_loadu_ps(w + i * stride);
  for (Index i = 0; straight != nullptr && i < 4; ++i) _mm_storeu_ps(straight + i * width, r[i]);
  _MM_TRANSPOSE4_PS(r[0], r[1], r[2], r[3]);
  for (Index i = 0; i < 4; ++i) _mm_storeu_ps(turned + i * width, r[i]);
#else
  for (Index i = 0; i < 4; ++i)
    for (Index k = 0; k < 4; ++k) {
      turned[k * width + i] = w[i * stride + k];
      if (straight != nullptr) straight[i * width + k] = w[i * stride + k];
    }
#endif
}

/// A square of `line`, of which rows x columns are there and the rest is zero: as pack_four.
void pack_square(Index rows, Index columns, Index stride, Index width, const float* w, float* turned, float* straight) {
  if (rows == line && columns == line) {
    for (Index r = 0; r < line; r += 4) {
      for (Index i = r; i < r + 4; ++i) __builtin_prefetch(w + i * stride + 2 * line);
      for (Index c = 0; c < line; c += 4)
        pack_four(stride, width, w + r * stride + c, turned + c * width + r,
                  straight == nullptr ? nullptr : straight + r * width + c);
    }
    return;
  }
  for (Index c = 0; c < columns; ++c)
    for (Index r = 0; r < line; ++r) turned[c * width + r] = r < rows ? w[r * stride + c] : 0.0f;
  for (Index r = 0; straight != nullptr && r < rows; ++r)
    for (Index c = 0; c < line; ++c) straight[r * width + c] = c < columns ? w[r * stride + c] : 0.0f;
}

template <Index width>
TESSEREC_KERNEL void mask_panel(Index rows, const float* y, float* dy, float* sums) {
  float sum[width] = {};
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < width; ++c) {
      const float kept = y == nullptr || y[r * width + c] > 0.0f ? dy[r * width + c] : 0.0f;
      dy[r * width + c] = kept;
      sum[c] += kept;
    }
  std::copy_n(sum, width, sums);
}

}  // namespace

void to_panels(Index rows, Index columns, Index width, const float* m, float* panels) {
  for (Index first = 0; first < columns; first += width, panels += rows * width)
    copy_panel(rows, std::min(width, columns - first), width, columns, m + first, panels);
}

void from_panels(Index rows, Index columns, Index width, const float* panels, float* m) {
  for (Index first = 0; first < columns; first += width, panels += rows * width)
    if (width == 16)
      copy_back<16>(rows, std::min(width, columns - first), panels, m + first, columns);
    else
      copy_back<32>(rows, std::min(width, columns - first), panels, m + first, columns);
}

void pack_rows(Index out, Index in, Index width, Index p, const float* w, float* forward, float* backward) {
  float* panel = forward + p * width * in;
  const Index padded = panel_count(in, width) * width;
  for (Index i = 0; i < padded; i += line)  // a line of each row of w: read once, written whole twice
    for (Index o = 0; o < width; o += line) {
      const Index row = p * width + o, rows = std::clamp<Index>(out - row, 0, line);
      const Index columns = std::clamp<Index>(in - i, 0, line);
      float* straight = backward == nullptr ? nullptr : backward + (i / width * out + row) * width + i % width;
      pack_square(rows, columns, in, width, w + row * in + i, panel + i * width + o, straight);
    }
}

void mask_and_sum(Index rows, Index columns, Index width, const float* y, float* dy, float* sums) {
  for (Index first = 0; first < columns; first += width) {
    const Index at = first * rows;
    if (width == 16)
      mask_panel<16>(rows, y == nullptr ? y : y + at, dy + at, sums + first);
    else
      mask_panel<32>(rows, y == nullptr ? y : y + at, dy + at, sums + first);
  }
}

}  // namespace tesserec::dense
