// SPDX-License-Identifier: Apache-2.0
// Philox for AVX2 and FMA. An intrinsic multiplies, because the compiler does not find the single instruction for it.
#include "philox_vectors.hpp"

namespace tesserec::philox {

#ifdef __AVX2__
namespace {
struct Avx2Philox {
  static constexpr int lanes = 4, vectors = 2;  // two, so that one's products hide the latency of the other's
  using Words = CounterVectors<lanes>::Words;
  using Floats = CounterVectors<lanes>::Floats;
  static constexpr Words even{0, 4, 2, 6}, odd{1, 5, 3, 7};

  [[gnu::always_inline]] static Words multiply(const Words& a, std::uint32_t b) {
    using Operand = CounterVectors<lanes>::Bits;
    return Words(__builtin_ia32_pmuludq256(Operand(a), Operand(Words{} + b)));
  }
  [[gnu::always_inline]] static Floats fused(const Floats& a, const Floats& b, const Floats& c) {
    return __builtin_ia32_vfmaddps256(a, b, c);
  }
};
}  // namespace

void fill_avx2(const Draw& draw) { fill<Avx2Philox>(draw); }
void quads_avx2(const Counters& counters, std::uint32_t* out) { quads<Avx2Philox>(counters, out); }
#else
void fill_avx2(const Draw& draw) { fill_plain(draw); }
void quads_avx2(const Counters& counters, std::uint32_t* out) { quads_plain(counters, out); }
#endif

}  // namespace tesserec::philox
