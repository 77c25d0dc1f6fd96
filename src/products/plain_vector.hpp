// SPDX-License-Identifier: Apache-2.0
/// Vector register of any length in plain C++, for machines without kernels of their own and for tests of the tiles.
#pragma once

#include "bf16.hpp"

namespace tesserec::products {
namespace {

template <Index n, int tile_rows>
struct PlainVector {
  struct Register {
    float v[n];
  };
  static constexpr Index floats = n;
  static constexpr int rows = tile_rows;
  static constexpr int rows_at_once = 1;
  template <class F>
  static TESSEREC_INLINE Register generate(const F& f) {
    Register made;
    for (Index i = 0; i < n; ++i) made.v[i] = f(i);
    return made;
  }
  static TESSEREC_INLINE Register zero() {
    return generate([](Index) { return 0.0f; });
  }
  static TESSEREC_INLINE Register load(const float* from) {
    return generate([=](Index i) { return from[i]; });
  }
  static TESSEREC_INLINE void store(float* to, const Register& r) {
    for (Index i = 0; i < n; ++i) to[i] = r.v[i];
  }
  static TESSEREC_INLINE Register load(const float* from, Index count) {
    return generate([=](Index i) { return i < count ? from[i] : 0.0f; });
  }
  static TESSEREC_INLINE void store(float* to, const Register& r, Index count) {
    for (Index i = 0; i < count; ++i) to[i] = r.v[i];
  }
  static TESSEREC_INLINE Register broadcast(const float* from) {
    return generate([=](Index) { return *from; });
  }
  static TESSEREC_INLINE Register fma(const Register& a, const Register& b, const Register& c) {
    return generate([&](Index i) { return __builtin_fmaf(a.v[i], b.v[i], c.v[i]); });
  }
  static TESSEREC_INLINE Register add(const Register& a, const Register& b) {
    return generate([&](Index i) { return a.v[i] + b.v[i]; });
  }
  static TESSEREC_INLINE Register positive(const Register& r) {
    return generate([&](Index i) { return r.v[i] < 0.0f ? 0.0f : r.v[i]; });
  }
  static TESSEREC_INLINE void transpose(Register (&square)[n]) {
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < i; ++j) {
        const float swapped = square[i].v[j];
        square[i].v[j] = square[j].v[i];
        square[j].v[i] = swapped;
      }
  }
  static TESSEREC_INLINE Register where_positive(const Register& y, const Register& r) {
    return generate([&](Index i) { return y.v[i] > 0.0f ? r.v[i] : 0.0f; });
  }
};

/// Vector register with int8.hpp's arithmetic in plain C++.
template <Index n, int tile_rows>
struct PlainInt8 : PlainVector<n, tile_rows> {
  using Base = PlainVector<n, tile_rows>;
  using Numbers = Base;
  using Register = typename Base::Register;
  static TESSEREC_INLINE Register fma(const Register& a, const Register& b, const Register& c) {
    return Base::generate([&](Index i) {
      const auto x = __builtin_bit_cast(std::uint32_t, a.v[i]), w = __builtin_bit_cast(std::uint32_t, b.v[i]);
      auto sum = __builtin_bit_cast(std::int32_t, c.v[i]);
      for (int byte = 0; byte < 32; byte += 8) sum += std::int32_t(x >> byte & 0xffu) * std::int8_t(w >> byte & 0xffu);
      return __builtin_bit_cast(float, sum);
    });
  }
  /// Returns sum - zero * column_sum of integers.
  static TESSEREC_INLINE Register shifted(const Register& sum, const Register& zero, const Register& column_sum) {
    return Base::generate([&](Index i) {
      const std::uint32_t product = bits(zero, i) * bits(column_sum, i);
      return __builtin_bit_cast(float, bits(sum, i) - product);
    });
  }
  /// Returns an integer as a float.
  static TESSEREC_INLINE Register number(const Register& sum) {
    return Base::generate([&](Index i) { return float(std::int32_t(bits(sum, i))); });
  }
  static TESSEREC_INLINE Register multiply(const Register& a, const Register& b) {
    return Base::generate([&](Index i) { return a.v[i] * b.v[i]; });
  }
  /// Returns the larger bits, as signed integers.
  static TESSEREC_INLINE Register higher(const Register& a, const Register& b) {
    return Base::generate(
        [&](Index i) { return std::int32_t(bits(a, i)) > std::int32_t(bits(b, i)) ? a.v[i] : b.v[i]; });
  }
  /// Returns the larger bits, as unsigned integers.
  static TESSEREC_INLINE Register lower(const Register& a, const Register& b) {
    return Base::generate([&](Index i) { return bits(a, i) > bits(b, i) ? a.v[i] : b.v[i]; });
  }

 private:
  static TESSEREC_INLINE std::uint32_t bits(const Register& r, Index i) {
    return __builtin_bit_cast(std::uint32_t, r.v[i]);
  }
};

/// Vector register with bf16.hpp's arithmetic in plain C++.
template <Index n, int tile_rows>
struct PlainBf16 : PlainVector<n, tile_rows> {
  using Base = PlainVector<n, tile_rows>;
  using Register = typename Base::Register;
  static constexpr int rows_at_once = 2;
  static constexpr float least = 0x1p-126f;  // smallest normal float
  static int begin_flush() { return 0; }
  static void end_flush(int) {}

  static TESSEREC_INLINE float flush(float v) { return __builtin_fabsf(v) < least ? __builtin_copysignf(0.0f, v) : v; }
  static TESSEREC_INLINE float step(float a, float b, float c) {
    const float sum = flush(__builtin_fmaf(a, b, c));
    if (__builtin_fabsf(sum) != least) return sum;
    // A denormal result has fewer than 24 bits and may have been rounded up to `least`. The sum in double is exact.
    const double exact = double(a) * double(b) + double(c);
    return __builtin_fabs(exact) < 0x1p-126 - 0x1p-151 ? __builtin_copysignf(0.0f, sum) : sum;
  }
  static TESSEREC_INLINE float half(float word, int shift) {
    const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, word) << shift & 0xffff0000u;
    return flush(__builtin_bit_cast(float, bits));
  }
  static TESSEREC_INLINE Register fma(const Register& a, const Register& b, const Register& c) {
    return Base::generate([&](Index i) {
      const float odd = step(half(a.v[i], 0), half(b.v[i], 0), flush(c.v[i]));
      return step(half(a.v[i], 16), half(b.v[i], 16), odd);
    });
  }
  static TESSEREC_INLINE Register add(const Register& a, const Register& b) {
    return Base::generate([&](Index i) { return flush(flush(a.v[i]) + flush(b.v[i])); });
  }
  static TESSEREC_INLINE Register where_positive(const Register& y, const Register& r) {
    return Base::generate([&](Index i) { return flush(y.v[i]) > 0.0f ? r.v[i] : 0.0f; });
  }
  static TESSEREC_INLINE Register across(const Register& low, const Register& high) {
    return Base::generate([&](Index i) {
      const float* const from = 2 * i < n ? low.v + 2 * i : high.v + (2 * i - n);
      return word_of(from[0], from[1]);
    });
  }
  static TESSEREC_INLINE Register down(const Register& even, const Register& odd) {
    return Base::generate([&](Index i) { return word_of(even.v[i], odd.v[i]); });
  }
};

}  // namespace
}  // namespace tesserec::products
