// SPDX-License-Identifier: Apache-2.0
// Built for AVX2 and FMA on x86-64 (src/CMakeLists.txt).
#include "kernels.hpp"

#ifdef __AVX2__
#include <immintrin.h>

#include "coded_vector.hpp"
#include "kernels_of.hpp"
#include "transpose.hpp"
#include "two_fma.hpp"

namespace tesserec::products {
namespace {

struct Avx2 {
  using Register = __m256;
  static constexpr Index floats = 8;
  static constexpr int rows_at_once = 1;
  static constexpr int rows = 6;  // 12 sums + 2 of b + 1 of a = 15 of 16 registers
  static TESSEREC_INLINE Register zero() { return _mm256_setzero_ps(); }
  static TESSEREC_INLINE Register load(const float* from) { return _mm256_loadu_ps(from); }
  static TESSEREC_INLINE void store(float* to, Register v) { _mm256_storeu_ps(to, v); }
  static TESSEREC_INLINE Register load(const float* from, Index n) { return _mm256_maskload_ps(from, first(n)); }
  static TESSEREC_INLINE void store(float* to, Register v, Index n) { _mm256_maskstore_ps(to, first(n), v); }
  static TESSEREC_INLINE __m256i first(Index n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(int(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static TESSEREC_INLINE Register broadcast(const float* from) { return _mm256_broadcast_ss(from); }
  static TESSEREC_INLINE Register fma(Register a, Register b, Register c) { return _mm256_fmadd_ps(a, b, c); }
  static TESSEREC_INLINE Register add(Register a, Register b) { return _mm256_add_ps(a, b); }
  static TESSEREC_INLINE Register positive(Register v) { return _mm256_max_ps(zero(), v); }
  static TESSEREC_INLINE void transpose(Register (&square)[floats]) { products::transpose<8>(square); }
  static TESSEREC_INLINE Register where_positive(Register y, Register v) {
    return _mm256_and_ps(_mm256_cmp_ps(y, zero(), _CMP_GT_OQ), v);
  }
};

using Avx2Bf16 = TwoFma<Avx2, 4>;  // 8 sums + 4 halves of b + 2 halves of a = 14 of 16 registers

/// Products of int8.hpp: the even and the odd bytes as integers of 16 bits, whose products two by two are exact.
struct Avx2Int8 : CodedVector<Avx2> {
  static constexpr int rows = 4;  // 8 sums + 4 halves of b + 2 halves of a = 14 of 16 registers
  static TESSEREC_INLINE Register fma(Register a, Register b, Register c) {
    const __m256i x = _mm256_castps_si256(a), w = _mm256_castps_si256(b);
    const __m256i even =
        _mm256_madd_epi16(_mm256_and_si256(x, _mm256_set1_epi16(0xff)), _mm256_srai_epi16(_mm256_slli_epi16(w, 8), 8));
    const __m256i odd = _mm256_madd_epi16(_mm256_srli_epi16(x, 8), _mm256_srai_epi16(w, 8));
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(c), _mm256_add_epi32(even, odd)));
  }
  /// Writes the codes of a row's 16 numbers: x * inverse to the nearest integer, plus the code of 0, from 0 to 255.
  static TESSEREC_INLINE void store_codes(const float* x, float inverse, float zero, std::uint8_t* to) {
    const __m256 by = _mm256_set1_ps(inverse);
    const __m256i shift = _mm256_castps_si256(_mm256_set1_ps(zero));
    const auto integers = [&](const float* from) __attribute__((always_inline)) {
      return _mm256_add_epi32(_mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(from), by)), shift);
    };
    // Each half of the registers is packed by itself.
    const __m256i words = _mm256_packs_epi32(integers(x), integers(x + 8)), bytes = _mm256_packus_epi16(words, words);
    const __m256i in_order = _mm256_setr_epi32(0, 4, 1, 5, 0, 0, 0, 0);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                     _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(bytes, in_order)));
  }
};

}  // namespace

constinit const KernelSet avx2_kernels = kernels_of<Avx2, Avx2Bf16, Avx2Int8>("avx2");

}  // namespace tesserec::products
#endif
