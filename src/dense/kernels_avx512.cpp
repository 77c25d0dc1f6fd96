// SPDX-License-Identifier: Apache-2.0
// Built for AVX-512 F on x86-64 (src/CMakeLists.txt).
#include "kernels.hpp"

#ifdef __AVX512F__
#include <immintrin.h>

#include "kernels_of.hpp"
#include "transpose.hpp"

namespace tesserec::dense {
namespace {

struct Avx512 {
  using Register = __m512;
  static constexpr Index floats = 16;
  static constexpr int rows = 12;  // 24 sums, two of b, one of a: 27 of 32 registers
  static TESSEREC_INLINE Register zero() { return _mm512_setzero_ps(); }
  static TESSEREC_INLINE Register load(const float* from) { return _mm512_loadu_ps(from); }
  static TESSEREC_INLINE void store(float* to, Register v) { _mm512_storeu_ps(to, v); }
  static TESSEREC_INLINE Register broadcast(const float* from) { return _mm512_set1_ps(*from); }
  static TESSEREC_INLINE Register fma(Register a, Register b, Register c) { return _mm512_fmadd_ps(a, b, c); }
  static TESSEREC_INLINE Register add(Register a, Register b) { return _mm512_add_ps(a, b); }
  static TESSEREC_INLINE Register positive(Register v) { return _mm512_maskz_max_ps(0xffff, zero(), v); }
  static TESSEREC_INLINE void transpose(Register (&square)[floats]) { dense::transpose<16>(square); }
  static TESSEREC_INLINE Register where_positive(Register y, Register v) {
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(y, zero(), _CMP_GT_OQ), v);
  }
};

}  // namespace

constinit const Kernels avx512_kernels = kernels_of<Avx512>("avx512");

}  // namespace tesserec::dense
#endif
