// SPDX-License-Identifier: Apache-2.0
// Built for AVX-512 F and BW on x86-64 (src/CMakeLists.txt).
#include "kernels.hpp"

#ifdef __AVX512BW__
#include "avx512_codes.hpp"
#include "kernels_of.hpp"
#include "two_fma.hpp"

namespace tesserec::products {
namespace {

using Avx512Bf16 = TwoFma<Avx512, 12>;  // 24 sums + 4 halves of b + 2 of a + 1 mask = 31 of 32 registers

/// Products of int8.hpp: the even and the odd bytes as integers of 16 bits, whose products two by two are exact.
struct Avx512Int8 : Avx512Codes {
  static TESSEREC_INLINE Register fma(Register a, Register b, Register c) {
    const __m512i x = _mm512_castps_si512(a), w = _mm512_castps_si512(b);
    const __m512i even =
        _mm512_madd_epi16(_mm512_and_si512(x, _mm512_set1_epi16(0xff)), _mm512_srai_epi16(_mm512_slli_epi16(w, 8), 8));
    const __m512i odd = _mm512_madd_epi16(_mm512_srli_epi16(x, 8), _mm512_srai_epi16(w, 8));
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(c), _mm512_add_epi32(even, odd)));
  }
};

}  // namespace

constinit const KernelSet avx512_kernels = kernels_of<Avx512, Avx512Bf16, Avx512Int8>("avx512");

}  // namespace tesserec::products
#endif
