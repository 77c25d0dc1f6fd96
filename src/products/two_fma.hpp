// SPDX-License-Identifier: Apache-2.0
/// Products of bf16.hpp without an instruction for them. A shift and a mask make two fp32 values of each word, and two
/// fma multiply them.
#pragma once

#include <utility>

#include "bf16.hpp"
#include "flush_mode.hpp"

namespace tesserec::products {
namespace {  // internal linkage: one copy per instruction set

template <class V, int tile_rows>
struct TwoFma : V, FlushMode {
  using Register = typename V::Register;
  typedef std::uint32_t Bits __attribute__((vector_size(sizeof(Register))));
  static constexpr int rows_at_once = 2;
  static constexpr int rows = tile_rows;

  static TESSEREC_INLINE Bits rounded(Register v) {  // as round_to_bf16() does
    const Bits bits = (Bits)v, number = bits + 0x7fffu + (bits >> 16 & 1u);
    const Bits or_nan = (bits & ~sign_bit) > exponent_bits ? bits | quiet_bit : number;
    return ((bits & exponent_bits) == 0u ? bits & sign_bit : or_nan) & 0xffff0000u;
  }
  static TESSEREC_INLINE Register down(Register even, Register odd) {
    return (Register)(rounded(even) >> 16 | rounded(odd));
  }
  static TESSEREC_INLINE Register across(Register low, Register high) {
    return across(low, high, std::make_integer_sequence<int, V::floats>());
  }
  static TESSEREC_INLINE Register fma(Register a, Register b, Register c) {
    const Bits x = (Bits)a, y = (Bits)b;
    c = V::fma((Register)(x & 0xffff0000u), (Register)(y & 0xffff0000u), c);
    return V::fma((Register)(x << 16), (Register)(y << 16), c);
  }

 private:
  template <int... i>
  static TESSEREC_INLINE Register across(Register low, Register high, std::integer_sequence<int, i...>) {
    return down(__builtin_shufflevector(low, high, 2 * i...), __builtin_shufflevector(low, high, (2 * i + 1)...));
  }
};

}  // namespace
}  // namespace tesserec::products
