// SPDX-License-Identifier: Apache-2.0
/// Vector register of AVX-512 F and BW for codes of int8.hpp.
#pragma once

#include "avx512_vector.hpp"
#include "coded_vector.hpp"

namespace tesserec::products {
namespace {  // internal linkage: one copy per instruction set

struct Avx512Codes : CodedVector<Avx512> {
  /// Writes the codes of a row's 32 numbers: x * inverse to the nearest integer, plus the code of 0, from 0 to 255.
  static TESSEREC_INLINE void store_codes(const float* x, float inverse, float zero, std::uint8_t* to) {
    const __m512 by = _mm512_set1_ps(inverse);
    const __m512i shift = _mm512_castps_si512(_mm512_set1_ps(zero));
    const auto integers = [&](const float* from) __attribute__((always_inline)) {
      return _mm512_add_epi32(_mm512_maskz_cvtps_epi32(0xffff, _mm512_mul_ps(_mm512_loadu_ps(from), by)), shift);
    };
    // Each quarter of the registers is packed by itself.
    const __m512i words = _mm512_packs_epi32(integers(x), integers(x + 16)), bytes = _mm512_packus_epi16(words, words);
    const __m512i in_order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m512i codes = _mm512_maskz_permutexvar_epi32(0xffff, in_order, bytes);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), __builtin_shufflevector(codes, codes, 0, 1, 2, 3));
  }
};

}  // namespace
}  // namespace tesserec::products
