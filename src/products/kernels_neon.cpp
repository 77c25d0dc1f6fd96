// SPDX-License-Identifier: Apache-2.0
// Built for aarch64, where every processor has these registers.
#include "kernels.hpp"

#ifdef __aarch64__
#include <arm_neon.h>

#include "kernels_of.hpp"
#include "plain_vector.hpp"
#include "transpose.hpp"

namespace tesserec::products {
namespace {

struct Neon {
  using Register = float32x4_t;
  static constexpr Index floats = 4;
  static constexpr int rows_at_once = 1;
  static constexpr int rows = 12;  // 24 sums + 2 of b + 1 of a = 27 of 32 registers
  static TESSEREC_INLINE Register zero() { return vdupq_n_f32(0.0f); }
  static TESSEREC_INLINE Register load(const float* from) { return vld1q_f32(from); }
  static TESSEREC_INLINE void store(float* to, Register v) { vst1q_f32(to, v); }
  static TESSEREC_INLINE Register load(const float* from, Index n) {
    float numbers[floats] = {};
    for (Index i = 0; i < n; ++i) numbers[i] = from[i];
    return load(numbers);
  }
  static TESSEREC_INLINE void store(float* to, Register v, Index n) {
    float numbers[floats];
    store(numbers, v);
    for (Index i = 0; i < n; ++i) to[i] = numbers[i];
  }
  static TESSEREC_INLINE Register broadcast(const float* from) { return vld1q_dup_f32(from); }
  static TESSEREC_INLINE Register fma(Register a, Register b, Register c) { return vfmaq_f32(c, a, b); }
  static TESSEREC_INLINE Register add(Register a, Register b) { return vaddq_f32(a, b); }
  static TESSEREC_INLINE Register positive(Register v) {  // vmaxq_f32 would turn -0 into +0
    return vbslq_f32(vcltzq_f32(v), zero(), v);
  }
  static TESSEREC_INLINE void transpose(Register (&square)[floats]) { products::transpose<4>(square); }
  static TESSEREC_INLINE Register where_positive(Register y, Register v) { return vbslq_f32(vcgtzq_f32(y), v, zero()); }
};

// Plain C++, since FPCR.FZ detects denormal results before rounding and bf16.hpp detects them after rounding.
using NeonBf16 = PlainBf16<Neon::floats, 4>;

}  // namespace

constinit const KernelSet neon_kernels = kernels_of<Neon, NeonBf16, PlainInt8<Neon::floats, 4>>("neon");

}  // namespace tesserec::products
#endif
