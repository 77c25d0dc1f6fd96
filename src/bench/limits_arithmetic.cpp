// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>

#include "limits.hpp"
#include <tesserec/products/instruction_set.hpp>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define TESSEREC_X86 1
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace tesserec::bench {
namespace {

// Independent chains hide the latency of a multiply-add. Their values tend to 1, or grow to about 10000 at most if the
// instruction adds a product, and so stay normal floats.
constexpr float factor = 0.5f, term = 0.5f;

constexpr Index rounds = 20000;

void plain_chains() {
  std::array<float, 16> x;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i;
  for (Index r = 0; r < rounds; ++r)
    for (float& value : x) value = value * factor + term;
  float sum = 0;
  for (const float value : x) sum += value;
  keep(sum);
}

#ifdef TESSEREC_X86
__attribute__((target("avx2,fma"))) void avx2_chains() {
  const __m256 a = _mm256_set1_ps(factor), b = _mm256_set1_ps(term);
  __m256 x[12];
#pragma GCC unroll 12
  for (int i = 0; i < 12; ++i) x[i] = _mm256_set1_ps(float(i));
  for (Index r = 0; r < rounds; ++r) {
#pragma GCC unroll 12
    for (int i = 0; i < 12; ++i) x[i] = _mm256_fmadd_ps(x[i], a, b);
  }
  float sum = 0;
#pragma GCC unroll 12
  for (int i = 0; i < 12; ++i) sum += _mm256_cvtss_f32(x[i]);
  keep(sum);
}

__attribute__((target("avx512f"))) void avx512_chains() {
  const __m512 a = _mm512_set1_ps(factor), b = _mm512_set1_ps(term);
  __m512 x[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) x[i] = _mm512_set1_ps(float(i));
  for (Index r = 0; r < rounds; ++r) {
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) x[i] = _mm512_fmadd_ps(x[i], a, b);
  }
  float sum = 0;
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) sum += _mm512_cvtss_f32(x[i]);
  keep(sum);
}

// Each sum gets two products of bf16 numbers per instruction.
__attribute__((target("avx512f,avx512bf16"))) void bf16_chains() {
  const __m512bh a = _mm512_cvtne2ps_pbh(_mm512_set1_ps(factor), _mm512_set1_ps(factor));
  __m512 x[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) x[i] = _mm512_set1_ps(float(i));
  for (Index r = 0; r < rounds; ++r) {
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) x[i] = _mm512_dpbf16_ps(x[i], a, a);
  }
  float sum = 0;
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) sum += _mm512_cvtss_f32(x[i]);
  keep(sum);
}

// Each sum gets four products of codes of 8 bits per instruction.
__attribute__((target("avx512f,avx512vnni"))) void int8_chains() {
  __m512i x[16], a = _mm512_set1_epi32(0x01010101);
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) x[i] = _mm512_set1_epi32(i);
  for (Index r = 0; r < rounds; ++r) {
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) x[i] = _mm512_dpbusd_epi32(x[i], a, a);
  }
  int sum = 0;
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) sum += _mm512_cvtsi512_si32(x[i]);
  keep(float(sum));
}

// Four tiles of 16 x 16 sums get products of 64 codes per instruction.
__attribute__((target("amx-tile,amx-int8"))) void tile_chains() {
  struct alignas(64) {
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t row_bytes[16] = {};
    std::uint8_t rows[16] = {};
  } shapes;
  std::fill_n(shapes.row_bytes, 8, std::uint16_t{64});
  std::fill_n(shapes.rows, 8, std::uint8_t{16});
  alignas(64) std::int8_t ones[16 * 64];
  alignas(64) std::int32_t sums[16 * 16];
  std::fill_n(ones, 16 * 64, std::int8_t{1});
  _tile_loadconfig(&shapes);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_loadd(4, ones, 64);
  _tile_loadd(5, ones, 64);
  for (Index r = 0; r < rounds; ++r) {
    _tile_dpbusd(0, 4, 5);
    _tile_dpbusd(1, 4, 5);
    _tile_dpbusd(2, 4, 5);
    _tile_dpbusd(3, 4, 5);
  }
  _tile_stored(0, sums, 64);
  keep(float(sums[0]));
  _tile_release();
}
#elif defined(__aarch64__)
void neon_chains() {
  const float32x4_t a = vdupq_n_f32(factor), b = vdupq_n_f32(term);
  float32x4_t x[24];
#pragma GCC unroll 24
  for (int i = 0; i < 24; ++i) x[i] = vdupq_n_f32(float(i));
  for (Index r = 0; r < rounds; ++r) {
#pragma GCC unroll 24
    for (int i = 0; i < 24; ++i) x[i] = vfmaq_f32(x[i], a, b);  // the instruction adds the product to x[i]
  }
  float sum = 0;
#pragma GCC unroll 24
  for (int i = 0; i < 24; ++i) sum += vgetq_lane_f32(x[i], 0);
  keep(sum);
}
#endif

}  // namespace

std::optional<MultiplyAdds> bf16_multiply_adds() {
#ifdef TESSEREC_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512bf16"))
    return MultiplyAdds{"AVX-512 BF16", 2.0 * 16 * 16 * 2 * rounds, bf16_chains};
#endif
  return {};
}

std::optional<MultiplyAdds> int8_multiply_adds() {
#ifdef TESSEREC_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512vnni"))
    return MultiplyAdds{"AVX-512 VNNI", 2.0 * 16 * 16 * 4 * rounds, int8_chains};
#endif
  return {};
}

std::optional<MultiplyAdds> tile_multiply_adds() {
#ifdef TESSEREC_X86
  if (products::instruction_set() == "avx512_amx")
    return MultiplyAdds{"AMX", 2.0 * 4 * 16 * 16 * 64 * rounds, tile_chains};
#endif
  return {};
}

MultiplyAdds multiply_adds() {
#ifdef TESSEREC_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return {"AVX-512", 2.0 * 16 * 16 * rounds, avx512_chains};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {"AVX2", 2.0 * 12 * 8 * rounds, avx2_chains};
#elif defined(__aarch64__)
  return {"NEON", 2.0 * 24 * 4 * rounds, neon_chains};
#endif
  return {"portable", 2.0 * 16 * rounds, plain_chains};
}

MultiplyAdds multiply_adds(products::Precision precision) {
  return precision == products::Precision::bf16 ? bf16_multiply_adds().value_or(multiply_adds()) : multiply_adds();
}

}  // namespace tesserec::bench
