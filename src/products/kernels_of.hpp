// SPDX-License-Identifier: Apache-2.0
/// All kernels of one instruction set.
#pragma once

#include "bf16.hpp"
#include "dot_kernels.hpp"
#include "packing.hpp"
#include "row_coder.hpp"

namespace tesserec::products {
namespace {  // internal linkage: one copy per instruction set

template <class V, class Bf16, class Int8>
constexpr KernelSet kernels_of(const char* name) {
  static_assert(V::floats == Bf16::floats && V::floats == Int8::floats);
  return {.name = name,
          .width = Tiles<V>::width,
          .fp32 = {Tiles<V>::product, Tiles<V>::weight_gradient, Packing<V>::pack_rows},
          .bf16 = {Bf16Products<Bf16>::product, Bf16Products<Bf16>::weight_gradient, Bf16Packing<Bf16>::pack_rows},
          .int8_product = Tiles<Int8>::product,
          .make_codes = RowCoder<Int8>::make,
          .round = Tiles<Bf16>::round,
          .dots = {Dots<V>::scratch, Dots<V>::forward, Dots<V>::backward}};
}

}  // namespace
}  // namespace tesserec::products
