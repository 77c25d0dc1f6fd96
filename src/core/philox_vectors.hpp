// SPDX-License-Identifier: Apache-2.0
/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011) on several counters at once, one per vector element.
/// Object files for different instruction sets include this header. It includes nothing that leaves a function in an
/// object file, since the linker might keep the copy for the wrong instruction set.
#pragma once

#include "philox.hpp"

namespace tesserec::philox {

/// Vectors with 64 bits for each of `lanes` counters.
template <int lanes>
struct CounterVectors {
  using Words [[gnu::vector_size(8 * lanes)]] = std::uint64_t;  // values: the low halves; the high ones are arbitrary
  using Bits [[gnu::vector_size(8 * lanes)]] = std::int32_t;
  using Floats [[gnu::vector_size(8 * lanes)]] = float;
};

/// Counters of some vectors, which become random words. `Set` is an instruction set: `vectors` of `lanes` counters;
/// `even` and `odd`, which interleave counters 0, 2, ... or 1, 3, ... of two vectors; multiply(a, b), the 64-bit
/// products of b and the low halves of a; fused(a, b, c), a * b + c with one rounding.
template <class Set>
class Generator {
 public:
  static constexpr int lanes = Set::lanes, vectors = Set::vectors, at_once = lanes * vectors;
  using Words = typename CounterVectors<lanes>::Words;

  [[gnu::always_inline]] Generator(std::uint32_t key0, std::uint32_t key1) {
    for (int round = 0; round < rounds; ++round, key0 += step0, key1 += step1) {
      keys0_[round] = Words{} + key0;
      keys1_[round] = Words{} + key1;
    }
  }

  /// Sets the counters of vector `v`.
  [[gnu::always_inline]] void set(int v, const Words& rows, const Words& quads) {
    c0_[v] = rows;
    c1_[v] = rows >> 32;
    c2_[v] = quads;
    c3_[v] = Words{};
  }
  /// Replaces the counters by random words.
  [[gnu::always_inline]] void ten_rounds() {
    for (int round = 0; round < rounds; ++round) {
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        const Words p0 = Set::multiply(c0_[v], multiplier0), p1 = Set::multiply(c2_[v], multiplier1);
        c0_[v] = (p1 >> 32) ^ c1_[v] ^ keys0_[round];
        c1_[v] = p1;
        c2_[v] = (p0 >> 32) ^ c3_[v] ^ keys1_[round];
        c3_[v] = p0;
      }
    }
  }

  /// Calls use(lane, from) for each counter: 16 bytes lie at `from`, four random words.
  template <class Use>
  [[gnu::always_inline]] void for_words(const Use& use) const {
    for_quads(
        [](const Words& words) __attribute__((always_inline)) { return words; }, use);
  }
  /// Does the same with four random numbers in [-bound, bound).
  template <class Use>
  [[gnu::always_inline]] void for_floats(float bound, const Use& use) const {
    for_quads(
        [bound](const Words& words) __attribute__((always_inline)) { return to_floats(words, bound); }, use);
  }

 private:
  template <class Convert, class Use>
  [[gnu::always_inline]] void for_quads(const Convert& convert, const Use& use) const {
    constexpr std::uint64_t low = 0xffffffff;
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      const Words first = (c0_[v] & low) | (c1_[v] << 32), second = (c2_[v] & low) | (c3_[v] << 32);
      const Words quads[2] = {convert(__builtin_shuffle(first, second, Set::even)),
                              convert(__builtin_shuffle(first, second, Set::odd))};
#pragma GCC unroll 8
      for (int l = 0; l < lanes; ++l) use(lanes * v + l, reinterpret_cast<const char*>(&quads[l % 2]) + l / 2 * 16);
    }
  }
  /// Does the same as philox::uniform.
  [[gnu::always_inline]] static Words to_floats(const Words& words, float bound) {
    using Floats = typename CounterVectors<lanes>::Floats;
    typename CounterVectors<lanes>::Bits bits;
    __builtin_memcpy(&bits, &words, sizeof bits);
    const Floats uniform = __builtin_convertvector(bits >> 8 & 0xffffff, Floats) * 0x1p-24f;
    const Floats numbers = Set::fused(Floats{} + 2.0f * bound, uniform, Floats{} - bound);
    Words result;
    __builtin_memcpy(&result, &numbers, sizeof result);
    return result;
  }

  Words keys0_[rounds], keys1_[rounds];
  Words c0_[vectors], c1_[vectors], c2_[vectors], c3_[vectors];
};

/// Draws the words of counters, as many as there are lanes.
template <class Set>
[[gnu::always_inline]] inline void some_quads(Generator<Set>& generator, const std::int64_t* rows,
                                              const std::int64_t* quads, std::uint32_t* out) {
  using Words = typename Generator<Set>::Words;
  for (int v = 0; v < Set::vectors; ++v) {
    Words row, quad;
    __builtin_memcpy(&row, rows + Set::lanes * v, sizeof row);
    __builtin_memcpy(&quad, quads + Set::lanes * v, sizeof quad);
    generator.set(v, row, quad);
  }
  generator.ten_rounds();
  generator.for_words([out](int lane, const char* from)
                          __attribute__((always_inline)) { __builtin_memcpy(out + 4 * lane, from, 16); });
}

template <class Set>
[[gnu::always_inline]] inline void quads(const Counters& c, std::uint32_t* out) {
  constexpr int at_once = Generator<Set>::at_once;
  Generator<Set> generator(c.key0, c.key1);
  std::int64_t at = 0;
  for (; at + at_once <= c.count; at += at_once) some_quads(generator, c.rows + at, c.quads + at, out + 4 * at);
  if (at == c.count) return;
  const std::size_t remaining = c.count - at;
  std::int64_t rows[at_once] = {}, quads[at_once] = {};
  std::uint32_t last[4 * at_once];
  __builtin_memcpy(rows, c.rows + at, remaining * sizeof rows[0]);
  __builtin_memcpy(quads, c.quads + at, remaining * sizeof quads[0]);
  some_quads(generator, rows, quads, last);
  __builtin_memcpy(out + 4 * at, last, 4 * remaining * sizeof last[0]);
}

/// Draws rows in steps of `n` quads of some rows.
template <class Set, int n>
[[gnu::always_inline]] inline void fill_by(const Draw& draw, Generator<Set>& generator) {
  using Words = typename Generator<Set>::Words;
  constexpr int lanes = Set::lanes, at_once = Generator<Set>::at_once, rows_per_step = at_once / n;
  Words first[Set::vectors];  // quad of each lane
  for (int v = 0; v < Set::vectors; ++v) {
    std::int64_t numbers[lanes];
    for (int l = 0; l < lanes; ++l) numbers[l] = (lanes * v + l) % n;
    __builtin_memcpy(&first[v], numbers, sizeof numbers);
    first[v] += draw.quad;
  }
  for (std::int64_t r = 0; r < draw.count; r += rows_per_step) {
    const std::int64_t rows = draw.count - r < rows_per_step ? draw.count - r : rows_per_step;
    const auto row = [&](int lane) __attribute__((always_inline)) {
      return draw.rows[rows == rows_per_step || lane / n < rows ? r + lane / n : r];
    };
    Words numbers[Set::vectors];
    for (int v = 0; v < Set::vectors; ++v) {
      std::int64_t some[lanes];
#pragma GCC unroll 8
      for (int l = 0; l < lanes; ++l) some[l] = row(lanes * v + l).row;
      __builtin_memcpy(&numbers[v], some, sizeof some);
    }
    for (std::int64_t c = 0; c < draw.columns; c += 4 * n) {
      for (int v = 0; v < Set::vectors; ++v) generator.set(v, numbers[v], first[v] + std::uint64_t(c / 4));
      generator.ten_rounds();
      if (rows == rows_per_step && c + 4 * n <= draw.columns) {
        generator.for_floats(
            draw.bound, [&](int lane, const char* from) __attribute__((always_inline)) {
              __builtin_memcpy(row(lane).out + c + 4 * (lane % n), from, 16);
            });
        continue;
      }
      float drawn[4 * at_once];  // [rows_per_step, 4 * n]
      generator.for_floats(
          draw.bound, [&](int lane, const char* from)
                          __attribute__((always_inline)) { __builtin_memcpy(drawn + 4 * lane, from, 16); });
      const std::int64_t columns = draw.columns - c < 4 * n ? draw.columns - c : 4 * n;
      for (std::int64_t i = 0; i < rows; ++i)
        __builtin_memcpy(draw.rows[r + i].out + c, drawn + 4 * n * i, std::size_t(columns) * sizeof drawn[0]);
    }
  }
}

/// Draws rows in the fewest steps, each of n, n / 2, ... or 1 quads of a row.
template <class Set, int n = Generator<Set>::at_once>
[[gnu::always_inline]] inline void fill(const Draw& draw) {
  const auto steps = [&](std::int64_t quads) __attribute__((always_inline)) {
    const std::int64_t rows = Generator<Set>::at_once / quads;
    return (draw.count + rows - 1) / rows * ((draw.columns + 4 * quads - 1) / (4 * quads));
  };
  if constexpr (n > 1) {
    std::int64_t least = steps(1);
    for (int fewer = 2; fewer < n; fewer *= 2) least = steps(fewer) < least ? steps(fewer) : least;
    if (least < steps(n)) return fill<Set, n / 2>(draw);
  }
  Generator<Set> generator(draw.key0, draw.key1);
  fill_by<Set, n>(draw, generator);
}

}  // namespace tesserec::philox
