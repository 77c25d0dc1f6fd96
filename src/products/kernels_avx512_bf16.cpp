// SPDX-License-Identifier: Apache-2.0
// Built for AVX-512 F, BW, VNNI and BF16 on x86-64 (src/CMakeLists.txt).
#include "kernels.hpp"

#ifdef __AVX512BF16__
#include "avx512_vnni.hpp"
#include "flush_mode.hpp"
#include "kernels_of.hpp"

namespace tesserec::products {
namespace {

struct Avx512Bf16 : Avx512, FlushMode {
  static constexpr int rows_at_once = 2;
  static TESSEREC_INLINE __m512i rounded(Register low, Register high) {
    return (__m512i)_mm512_cvtne2ps_pbh(high, low);
  }
  static TESSEREC_INLINE Register across(Register low, Register high) {
    return _mm512_castsi512_ps(rounded(low, high));
  }
  static TESSEREC_INLINE Register down(Register even, Register odd) {
    const __m512i interleaved = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7,
                                                 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    return _mm512_castsi512_ps(_mm512_permutexvar_epi16(interleaved, rounded(even, odd)));
  }
  static TESSEREC_INLINE Register fma(Register a, Register b, Register c) {
    return _mm512_dpbf16_ps(c, (__m512bh)a, (__m512bh)b);
  }
};

}  // namespace

constinit const KernelSet avx512_bf16_kernels = kernels_of<Avx512, Avx512Bf16, Avx512Vnni>("avx512_bf16");

}  // namespace tesserec::products
#endif
