// SPDX-License-Identifier: Apache-2.0
/// A vector register in plain C++, of any length: for machines without a kernel of their own, and for tests of the
/// tiles.
#pragma once

#include "tiles.hpp"

namespace tesserec::dense {
namespace {

template <Index n, int tile_rows>
struct PlainVector {
  struct Register {
    float v[n];
  };
  static constexpr Index floats = n;
  static constexpr int rows = tile_rows;
  template <class F>
  static TESSEREC_INLINE Register each(const F& f) {
    Register made;
    for (Index i = 0; i < n; ++i) made.v[i] = f(i);
    return made;
  }
  static TESSEREC_INLINE Register zero() {
    return each([](Index) { return 0.0f; });
  }
  static TESSEREC_INLINE Register load(const float* from) {
    return each([=](Index i) { return from[i]; });
  }
  static TESSEREC_INLINE void store(float* to, const Register& r) {
    for (Index i = 0; i < n; ++i) to[i] = r.v[i];
  }
  static TESSEREC_INLINE Register broadcast(const float* from) {
    return each([=](Index) { return *from; });
  }
  static TESSEREC_INLINE Register fma(const Register& a, const Register& b, const Register& c) {
    return each([&](Index i) { return __builtin_fmaf(a.v[i], b.v[i], c.v[i]); });
  }
  static TESSEREC_INLINE Register add(const Register& a, const Register& b) {
    return each([&](Index i) { return a.v[i] + b.v[i]; });
  }
  static TESSEREC_INLINE Register positive(const Register& r) {
    return each([&](Index i) { return r.v[i] < 0.0f ? 0.0f : r.v[i]; });
  }
  static TESSEREC_INLINE void transpose(Register (&square)[n]) {
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < i; ++j) {
        const float kept = square[i].v[j];
        square[i].v[j] = square[j].v[i];
        square[j].v[i] = kept;
      }
  }
  static TESSEREC_INLINE Register where_positive(const Register& y, const Register& r) {
    return each([&](Index i) { return y.v[i] > 0.0f ? r.v[i] : 0.0f; });
  }
};

}  // namespace
}  // namespace tesserec::dense
