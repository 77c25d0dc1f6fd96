// SPDX-License-Identifier: Apache-2.0
#include "panels.hpp"

#include <algorithm>

#include <tesserec/core/index.hpp>
#include <tesserec/core/kernel.hpp>

namespace tesserec::products {
namespace {

/// Copies `columns` columns of each row to a panel and pads each row to `width` with zeros.
template <Index width>
void copy_panel(Index rows, Index columns, Index from_stride, const float* from, float* to) {
  for (Index r = 0; r < rows; ++r, from += from_stride, to += width) {
    if (columns == width) {
      std::copy_n(from, width, to);  // constant size, so no call of memcpy
    } else {
      std::copy_n(from, columns, to);
      std::fill(to + columns, to + width, 0.0f);
    }
  }
}

/// Copies `columns` columns of each row of a panel back.
template <Index width>
void copy_back(Index rows, Index columns, const float* from, float* to, Index to_stride) {
  for (Index r = 0; r < rows; ++r, from += width, to += to_stride) {
    if (columns == width)
      std::copy_n(from, width, to);
    else
      for (Index c = 0; c < columns; ++c) to[c] = from[c];
  }
}

template <Index width>
TESSEREC_KERNEL void mask_panel(Index rows, const float* y, float* dy, float* sums) {
  float sum[width] = {};
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < width; ++c) {
      const float gradient = y == nullptr || y[r * width + c] > 0.0f ? dy[r * width + c] : 0.0f;
      dy[r * width + c] = gradient;
      sum[c] += gradient;
    }
  std::copy_n(sum, width, sums);
}

}  // namespace

void to_panels(Index rows, Index height, Index width, Rows<const float> from, float* panels) {
  with_width(width, [&](auto known) {
    for (Index first = 0; first < from.width; first += width, panels += height * width) {
      copy_panel<known>(rows, std::min(width, from.width - first), from.stride, from.data + first, panels);
      std::fill(panels + rows * width, panels + height * width, 0.0f);
    }
  });
}

void from_panels(Index rows, Index height, Index width, const float* panels, Rows<float> to) {
  with_width(width, [&](auto known) {
    for (Index first = 0; first < to.width; first += width, panels += height * width)
      copy_back<known>(rows, std::min(width, to.width - first), panels, to.data + first, to.stride);
  });
}

void mask_and_sum(Index rows, Index columns, Index width, const float* y, float* dy, float* sums) {
  with_width(width, [&](auto known) {
    for (Index first = 0; first < columns; first += width) {
      const Index at = first * rows;
      mask_panel<known>(rows, y == nullptr ? y : y + at, dy + at, sums + first);
    }
  });
}

}  // namespace tesserec::products
