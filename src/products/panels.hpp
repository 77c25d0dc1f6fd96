// SPDX-License-Identifier: Apache-2.0
/// Conversions between row-major matrices and panels (kernels.hpp).
#pragma once

#include <cassert>
#include <type_traits>

#include "kernels.hpp"
#include <tesserec/core/rows.hpp>

namespace tesserec::products {

/// Calls work(width) with the width as a compile-time constant. `width` is the panel width of a KernelSet.
template <class Work>
void with_width(Index width, const Work& work) {
  assert(width == 8 || width == 16 || width == 32);
  if (width == 8)
    work(std::integral_constant<Index, 8>());
  else if (width == 16)
    work(std::integral_constant<Index, 16>());
  else
    work(std::integral_constant<Index, 32>());
}

inline Index panel_count(Index columns, Index width) { return (columns + width - 1) / width; }

/// Copies rows to panels of `height` rows and `width` columns, padded with zeros.
void to_panels(Index rows, Index height, Index width, Rows<const float> from, float* panels);
/// Copies panels back to rows, without the padding.
void from_panels(Index rows, Index height, Index width, const float* panels, Rows<float> to);

/// Sets dy = 0 unless y > 0, in panels; a null y masks nothing. Then writes the column sums of dy to `sums`, added row
/// after row from +0.
void mask_and_sum(Index rows, Index columns, Index width, const float* y, float* dy, float* sums);

}  // namespace tesserec::products
