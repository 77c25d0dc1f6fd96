// SPDX-License-Identifier: Apache-2.0
/// Vector register of AVX-512 F and BW for codes of int8.hpp.
#pragma once

#include "avx512_vector.hpp"
#include "coded_vector.hpp"

namespace tesserec::products {
namespace {  // internal linkage: one copy per instruction set

struct Avx512Codes : CodedVector<Avx512> {
  /// Writes the codes of 32 numbers of a row at x and of the 32 at `next`: a number by `inverse` to the nearest
  /// integer, plus the code of 0, from 0 to 255.
  static TESSEREC_INLINE void store_codes(const float* x, const float* next, float inverse, float zero,
                                          std::uint8_t* to) {
    const __m512 by = _mm512_set1_ps(inverse);
    const auto integers = [&](const float* from) __attribute__((always_inline)) {
      return _mm512_maskz_cvtps_epi32(0xffff, _mm512_mul_ps(_mm512_loadu_ps(from), by));
    };
    __m512i codes[4] = {integers(x), integers(x + 16), integers(next), integers(next + 16)};
    if (const int shift = __builtin_bit_cast(int, zero); shift != 0)
      for (__m512i& code : codes) code = _mm512_add_epi32(code, _mm512_set1_epi32(shift));
    // Each quarter of the registers is packed by itself.
    const __m512i bytes =
        _mm512_packus_epi16(_mm512_packs_epi32(codes[0], codes[1]), _mm512_packs_epi32(codes[2], codes[3]));
    const __m512i in_order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    _mm512_storeu_si512(to, _mm512_maskz_permutexvar_epi32(0xffff, in_order, bytes));
  }
};

}  // namespace
}  // namespace tesserec::products
