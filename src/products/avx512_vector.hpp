// SPDX-License-Identifier: Apache-2.0
/// Vector register of AVX-512 F.
#pragma once

#include <immintrin.h>

#include "tiles.hpp"
#include "transpose.hpp"

namespace tesserec::products {
namespace {  // internal linkage: one copy per instruction set

struct Avx512 {
  using Register = __m512;
  static constexpr Index floats = 16;
  static constexpr int rows_at_once = 1;
  static constexpr int rows = 12;  // 24 sums + 2 of b + 1 of a = 27 of 32 registers
  static TESSEREC_INLINE Register zero() { return _mm512_setzero_ps(); }
  static TESSEREC_INLINE Register load(const float* from) { return _mm512_loadu_ps(from); }
  static TESSEREC_INLINE void store(float* to, Register v) { _mm512_storeu_ps(to, v); }
  static TESSEREC_INLINE Register load(const float* from, Index n) { return _mm512_maskz_loadu_ps(first(n), from); }
  static TESSEREC_INLINE void store(float* to, Register v, Index n) { _mm512_mask_storeu_ps(to, first(n), v); }
  static TESSEREC_INLINE __mmask16 first(Index n) { return __mmask16((1u << n) - 1u); }
  static TESSEREC_INLINE Register broadcast(const float* from) { return _mm512_set1_ps(*from); }
  static TESSEREC_INLINE Register fma(Register a, Register b, Register c) { return _mm512_fmadd_ps(a, b, c); }
  static TESSEREC_INLINE Register add(Register a, Register b) { return _mm512_add_ps(a, b); }
  static TESSEREC_INLINE Register positive(Register v) { return _mm512_maskz_max_ps(0xffff, zero(), v); }
  static TESSEREC_INLINE void transpose(Register (&square)[floats]) { products::transpose<16>(square); }
  static TESSEREC_INLINE Register where_positive(Register y, Register v) {
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(y, zero(), _CMP_GT_OQ), v);
  }
};

}  // namespace
}  // namespace tesserec::products
