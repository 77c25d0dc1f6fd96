// SPDX-License-Identifier: Apache-2.0
/// Arithmetic on sums of codes (int8.hpp) in the registers of an x86-64 instruction set. A register holds floats or
/// integers of 32 bits.
#pragma once

#include <cstdint>

#include "tiles.hpp"

namespace tesserec::products {
namespace {  // internal linkage: one copy per instruction set

template <class V>
struct CodedVector : V {
  using Numbers = V;
  using Register = typename V::Register;
  typedef std::int32_t Signed __attribute__((vector_size(sizeof(Register))));
  typedef std::uint32_t Unsigned __attribute__((vector_size(sizeof(Register))));

  /// Returns sum - zero * column_sum of integers.
  static TESSEREC_INLINE Register shifted(Register sum, Register zero, Register column_sum) {
    return (Register)((Unsigned)sum - (Unsigned)zero * (Unsigned)column_sum);
  }
  /// Returns an integer as a float.
  static TESSEREC_INLINE Register number(Register sum) { return __builtin_convertvector((Signed)sum, Register); }
  static TESSEREC_INLINE Register multiply(Register a, Register b) { return a * b; }
  /// Returns the larger bits, as signed integers.
  static TESSEREC_INLINE Register higher(Register a, Register b) {
    return (Register)((Signed)a > (Signed)b ? (Signed)a : (Signed)b);
  }
  /// Returns the larger bits, as unsigned integers.
  static TESSEREC_INLINE Register lower(Register a, Register b) {
    return (Register)((Unsigned)a > (Unsigned)b ? (Unsigned)a : (Unsigned)b);
  }
};

}  // namespace
}  // namespace tesserec::products
