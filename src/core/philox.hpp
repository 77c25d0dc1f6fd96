// SPDX-License-Identifier: Apache-2.0
/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011) on several counters at once, one per vector element.
/// Object files for different instruction sets include this header. It includes nothing that leaves a function in an
/// object file, since the linker might keep the copy for the wrong instruction set.
#pragma once

#include <cstdint>

#include <tesserec/core/philox_rounds.hpp>

namespace tesserec::philox {

inline constexpr int lanes = 4, vectors = 2;  // two vectors, so that one's products hide the latency of the other's
inline constexpr int rows_at_once = lanes * vectors;

/// A draw of out[rows_at_once, columns], from row `row` and column 4 * `quad` on: values in [-bound, bound), rounded
/// once.
struct Draw {
  std::uint32_t key0, key1;
  std::uint64_t row, quad;
  std::int64_t columns;
  float bound;
};
void fill_plain(const Draw& draw, float* out);
void fill_avx2(const Draw& draw, float* out);

/// Counters (row, quad), of which each gives four random words: out[count, 4].
struct Counters {
  std::uint32_t key0, key1;
  const std::int64_t *rows, *quads;
  std::int64_t count;
};
void quads_plain(const Counters& counters, std::uint32_t* out);
void quads_avx2(const Counters& counters, std::uint32_t* out);

using Words [[gnu::vector_size(8 * lanes)]] = std::uint64_t;  // values are the low halves; the high ones are arbitrary

/// Replaces counters by random words in ten rounds. `multiply(a, b, product)` gives the 64-bit products of the low
/// halves of a and of b.
template <class Multiply>
[[gnu::always_inline]] inline void ten_rounds(std::uint32_t key0, std::uint32_t key1, const Multiply& multiply,
                                              Words (&c0)[vectors], Words (&c1)[vectors], Words (&c2)[vectors],
                                              Words (&c3)[vectors]) {
  for (int round = 0; round < rounds; ++round, key0 += step0, key1 += step1) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      Words p0, p1;
      multiply(c0[v], multiplier0, p0);
      multiply(c2[v], multiplier1, p1);
      c0[v] = (p1 >> 32) ^ c1[v] ^ std::uint64_t{key0};
      c1[v] = p1;
      c2[v] = (p0 >> 32) ^ c3[v] ^ std::uint64_t{key1};
      c3[v] = p0;
    }
  }
}

/// Draws the quads of rows_at_once counters: out[rows_at_once, 4].
template <class Multiply>
[[gnu::always_inline]] inline void some_quads(std::uint32_t key0, std::uint32_t key1, const Multiply& multiply,
                                              const std::int64_t* rows, const std::int64_t* quads, std::uint32_t* out) {
  Words c0[vectors], c1[vectors], c2[vectors], c3[vectors]{};
  for (int v = 0; v < vectors; ++v) {
    __builtin_memcpy(&c0[v], rows + lanes * v, sizeof c0[v]);
    __builtin_memcpy(&c2[v], quads + lanes * v, sizeof c2[v]);
    c1[v] = c0[v] >> 32;
  }
  ten_rounds(key0, key1, multiply, c0, c1, c2, c3);
  for (int v = 0; v < vectors; ++v, out += 4 * lanes) {
    const Words first = (c0[v] & 0xffffffff) | (c1[v] << 32), second = (c2[v] & 0xffffffff) | (c3[v] << 32);
    const Words low = __builtin_shuffle(first, second, Words{0, 4, 1, 5}),
                high = __builtin_shuffle(first, second, Words{2, 6, 3, 7});
    __builtin_memcpy(out, &low, sizeof low);
    __builtin_memcpy(out + 2 * lanes, &high, sizeof high);
  }
}

template <class Multiply>
[[gnu::always_inline]] inline void quads(const Counters& c, const Multiply& multiply, std::uint32_t* out) {
  std::int64_t at = 0;
  for (; at + rows_at_once <= c.count; at += rows_at_once)
    some_quads(c.key0, c.key1, multiply, c.rows + at, c.quads + at, out + 4 * at);
  if (at == c.count) return;
  const std::size_t remaining = c.count - at;
  std::int64_t rows[rows_at_once] = {}, quads[rows_at_once] = {};
  std::uint32_t last[4 * rows_at_once];
  __builtin_memcpy(rows, c.rows + at, remaining * sizeof rows[0]);
  __builtin_memcpy(quads, c.quads + at, remaining * sizeof quads[0]);
  some_quads(c.key0, c.key1, multiply, rows, quads, last);
  __builtin_memcpy(out + 4 * at, last, 4 * remaining * sizeof last[0]);
}

template <class Multiply>
[[gnu::always_inline]] inline void fill(const Draw& draw, const Multiply& multiply, float* out) {
  using Bits [[gnu::vector_size(8 * lanes)]] = std::int32_t;
  using Floats [[gnu::vector_size(8 * lanes)]] = float;
  constexpr std::uint64_t low = 0xffffffff;
  for (std::int64_t c = 0; c < draw.columns; c += 4) {
    Words c0[vectors], c1[vectors], c2[vectors], c3[vectors];
    for (int v = 0; v < vectors; ++v) {
      c0[v] = Words{0, 1, 2, 3} + (draw.row + std::uint64_t(lanes * v));
      c1[v] = c0[v] >> 32;
      c2[v] = Words{} + (draw.quad + std::uint64_t(c / 4));
      c3[v] = Words{};
    }
    ten_rounds(draw.key0, draw.key1, multiply, c0, c1, c2, c3);
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      const Words pairs[2] = {(c0[v] & low) | (c1[v] << 32), (c2[v] & low) | (c3[v] << 32)};
      float numbers[2][2 * lanes];
      for (int p = 0; p < 2; ++p) {
        Bits bits;
        __builtin_memcpy(&bits, &pairs[p], sizeof bits);
        const Floats uniform = __builtin_convertvector(bits >> 8 & 0xffffff, Floats) * 0x1p-24f;
        for (int i = 0; i < 2 * lanes; ++i) numbers[p][i] = __builtin_fmaf(2.0f * draw.bound, uniform[i], -draw.bound);
      }
      for (int l = 0; l < lanes; ++l) {
        float* quad = out + (lanes * v + l) * draw.columns + c;
        if (draw.columns - c >= 4) {
          __builtin_memcpy(quad, &numbers[0][2 * l], 8);
          __builtin_memcpy(quad + 2, &numbers[1][2 * l], 8);
        } else {
          for (int i = 0; i < draw.columns - c; ++i) quad[i] = numbers[i / 2][2 * l + i % 2];
        }
      }
    }
  }
}

}  // namespace tesserec::philox
