// SPDX-License-Identifier: Apache-2.0
/// Conversions between row-major matrices and panels (kernels.hpp).
#pragma once

#include <cassert>
#include <type_traits>

#include "kernels.hpp"
#include <tesserec/core/rows.hpp>
#include <tesserec/products/precision.hpp>

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
/// Returns `columns` rounded up to whole panels of this machine's kernels.
inline Index padded_width(Index columns) { return panel_count(columns, kernels().width) * kernels().width; }

/// Returns this machine's kernels of fp32 or bf16.
inline const PanelKernels& kernels(Precision precision) {
  return precision == Precision::bf16 ? kernels().bf16 : kernels().fp32;
}
/// Returns the depth of a product over `numbers` values. It counts words: of two values in bf16, of four in int8.
inline Index depth_of(Precision precision, Index numbers) {
  if (precision == Precision::int8) return (numbers + 3) / 4;
  return precision == Precision::bf16 ? (numbers + 1) / 2 : numbers;
}

/// Copies rows to panels of `height` rows and `width` columns, padded with zeros.
void to_panels(Index rows, Index height, Index width, Rows<const float> from, float* panels);
/// Copies panels back to rows, without the padding.
void from_panels(Index rows, Index height, Index width, const float* panels, Rows<float> to);

/// Sets dy = 0 unless y > 0, in panels; a null y masks nothing. Then writes the column sums of dy to `sums`, added row
/// after row from +0.
void mask_and_sum(Index rows, Index columns, Index width, const float* y, float* dy, float* sums);

}  // namespace tesserec::products
