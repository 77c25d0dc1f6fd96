// SPDX-License-Identifier: Apache-2.0
/// All kernels of one instruction set.
#pragma once

#include "dots.hpp"
#include "packing.hpp"

namespace tesserec::dense {
namespace {  // an object for each instruction set

template <class V>
constexpr Kernels kernels_of(const char* name) {
  return {.name = name,
          .width = Tiles<V>::width,
          .product = Tiles<V>::product,
          .weight_gradient = Tiles<V>::weight_gradient,
          .pack_rows = Packing<V>::pack_rows,
          .dots_scratch = Dots<V>::scratch,
          .dots_forward = Dots<V>::forward,
          .dots_backward = Dots<V>::backward};
}

}  // namespace
}  // namespace tesserec::dense
