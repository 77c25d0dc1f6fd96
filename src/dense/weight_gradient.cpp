// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>

#include <tesserec/dense/weight_gradient.hpp>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define TESSEREC_X86 1
#endif

namespace tesserec::dense {
namespace {

/// c[r, j] = (add ? c[r, j] : 0) + sum over k in order of a[k, r] * b[k, j], for a tile of fixed size that
/// stays in registers; a [n, rows] and b [n, columns] are dense.
struct Tile {
  Index rows, columns;
  void (*run)(Index n, const float* a, const float* b, bool add, float* c, Index ldc);
};
constexpr Index largest_rows = 12, largest_columns = 32;

void plain_tile(Index n, const float* a, const float* b, bool add, float* c, Index ldc) {
  float sum[4][16] = {};
  for (Index k = 0; k < n; ++k)
    for (Index r = 0; r < 4; ++r)
      for (Index j = 0; j < 16; ++j) sum[r][j] = std::fma(a[k * 4 + r], b[k * 16 + j], sum[r][j]);
  for (Index r = 0; r < 4; ++r)
    for (Index j = 0; j < 16; ++j) c[r * ldc + j] = add ? c[r * ldc + j] + sum[r][j] : sum[r][j];
}

#ifdef TESSEREC_X86
// g++ spills a tile of this size when it vectorises plain loops: 45 instead of 100 GFLOP/s on one AVX2 core.

__attribute__((target("avx2,fma"))) void avx2_tile(Index n, const float* a, const float* b, bool add,
                                                   float* c, Index ldc) {
  constexpr int rows = 6;
  __m256 sum[rows][2];
#pragma GCC unroll 6
  for (int r = 0; r < rows; ++r) sum[r][0] = sum[r][1] = _mm256_setzero_ps();
  for (Index k = 0; k < n; ++k) {
    const __m256 b0 = _mm256_loadu_ps(b + k * 16), b1 = _mm256_loadu_ps(b + k * 16 + 8);
#pragma GCC unroll 6
    for (int r = 0; r < rows; ++r) {
      const __m256 ar = _mm256_broadcast_ss(a + k * rows + r);
      sum[r][0] = _mm256_fmadd_ps(ar, b0, sum[r][0]);
      sum[r][1] = _mm256_fmadd_ps(ar, b1, sum[r][1]);
    }
  }
#pragma GCC unroll 6
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 2
    for (int h = 0; h < 2; ++h) {
      float* at = c + r * ldc + h * 8;
      _mm256_storeu_ps(at, add ? _mm256_add_ps(_mm256_loadu_ps(at), sum[r][h]) : sum[r][h]);
    }
}

__attribute__((target("avx512f"))) void avx512_tile(Index n, const float* a, const float* b, bool add,
                                                    float* c, Index ldc) {
  constexpr int rows = 12;
  __m512 sum[rows][2];
#pragma GCC unroll 12
  for (int r = 0; r < rows; ++r) sum[r][0] = sum[r][1] = _mm512_setzero_ps();
  for (Index k = 0; k < n; ++k) {
    const __m512 b0 = _mm512_loadu_ps(b + k * 32), b1 = _mm512_loadu_ps(b + k * 32 + 16);
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r) {
      const __m512 ar = _mm512_set1_ps(a[k * rows + r]);
      sum[r][0] = _mm512_fmadd_ps(ar, b0, sum[r][0]);
      sum[r][1] = _mm512_fmadd_ps(ar, b1, sum[r][1]);
    }
  }
#pragma GCC unroll 12
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 2
    for (int h = 0; h < 2; ++h) {
      float* at = c + r * ldc + h * 16;
      _mm512_storeu_ps(at, add ? _mm512_add_ps(_mm512_loadu_ps(at), sum[r][h]) : sum[r][h]);
    }
}
#endif

const Tile& tile() {
  static const Tile chosen = [] {
#ifdef TESSEREC_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f")) return Tile{12, 32, avx512_tile};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Tile{6, 16, avx2_tile};
#endif
    return Tile{4, 16, plain_tile};
  }();
  return chosen;
}

Index round_up(Index n, Index to) { return (n + to - 1) / to * to; }

/// Cuts the columns of m [rows, width] into panels [rows, panel] one after the other, the last padded with
/// zeros.
template <Index panel>
void pack_panels(Index rows, Index width, const float* m, float* packed) {
  for (Index first = 0; first < width; first += panel) {
    const Index n = std::min(panel, width - first);
    for (Index r = 0; r < rows; ++r, packed += panel) {
      const float* from = m + r * width + first;
      if (n == panel) {
        std::memcpy(packed, from, panel * sizeof(float));  // of a size known here: no call
      } else {
        std::copy_n(from, n, packed);
        std::fill_n(packed + n, panel - n, 0.0f);
      }
    }
  }
}

void pack(Index panel, Index rows, Index width, const float* m, float* packed) {
  switch (panel) {
    case 4:
      return pack_panels<4>(rows, width, m, packed);
    case 6:
      return pack_panels<6>(rows, width, m, packed);
    case 12:
      return pack_panels<12>(rows, width, m, packed);
    case 16:
      return pack_panels<16>(rows, width, m, packed);
    default:
      return pack_panels<32>(rows, width, m, packed);
  }
}

}  // namespace

Index weight_gradient_scratch(const LayerShape& s) {
  return s.rows * (round_up(s.out, tile().rows) + round_up(s.in, tile().columns)) + 16;
}

void weight_gradient(const LayerShape& s, bool add, const float* dy, const float* x, float* dw,
                     float* scratch) {
  const Tile& t = tile();
  float* packed_x = scratch;
  float* packed_dy = scratch + s.rows * round_up(s.in, t.columns);
  pack(t.columns, s.rows, s.in, x, packed_x);
  pack(t.rows, s.rows, s.out, dy, packed_dy);
  for (Index o = 0; o < s.out; o += t.rows) {
    const float* a = packed_dy + o * s.rows;
    const Index rows = std::min(t.rows, s.out - o);
    for (Index i = 0; i < s.in; i += t.columns) {
      const float* b = packed_x + i * s.rows;
      float* c = dw + o * s.in + i;
      const Index columns = std::min(t.columns, s.in - i);
      if (rows == t.rows && columns == t.columns) {
        for (Index r = 0; r < rows; ++r) __builtin_prefetch(c + r * s.in, 1);
        t.run(s.rows, a, b, add, c, s.in);
        continue;
      }
      float edge[largest_rows * largest_columns];
      t.run(s.rows, a, b, false, edge, t.columns);
      for (Index r = 0; r < rows; ++r)
        for (Index j = 0; j < columns; ++j) {
          const float sum = edge[r * t.columns + j];
          c[r * s.in + j] = add ? c[r * s.in + j] + sum : sum;
        }
    }
  }
}

}  // namespace tesserec::dense
