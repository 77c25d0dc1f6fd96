// SPDX-License-Identifier: Apache-2.0
// Philox for AVX-512.
#include "philox_vectors.hpp"

namespace tesserec::philox {

#ifdef __AVX512F__
namespace {
struct Avx512Philox {
  static constexpr int lanes = 8, vectors = 2;
  using Words = CounterVectors<lanes>::Words;
  using Floats = CounterVectors<lanes>::Floats;
  static constexpr Words even{0, 8, 2, 10, 4, 12, 6, 14}, odd{1, 9, 3, 11, 5, 13, 7, 15};

  [[gnu::always_inline]] static Words multiply(const Words& a, std::uint32_t b) {
    using Operand = CounterVectors<lanes>::Bits;
    using Result [[gnu::vector_size(8 * lanes)]] = long long;
    return Words(__builtin_ia32_pmuludq512_mask(Operand(a), Operand(Words{} + b), Result{}, 0xff));
  }
  [[gnu::always_inline]] static Floats fused(const Floats& a, const Floats& b, const Floats& c) {
    constexpr int current_rounding = 4;
    return __builtin_ia32_vfmaddps512_mask(a, b, c, 0xffff, current_rounding);
  }
};
}  // namespace

void fill_avx512(const Draw& draw) { fill<Avx512Philox>(draw); }
void quads_avx512(const Counters& counters, std::uint32_t* out) { quads<Avx512Philox>(counters, out); }
#else
void fill_avx512(const Draw& draw) { fill_plain(draw); }
void quads_avx512(const Counters& counters, std::uint32_t* out) { quads_plain(counters, out); }
#endif

}  // namespace tesserec::philox
