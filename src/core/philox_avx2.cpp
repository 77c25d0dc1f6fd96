// SPDX-License-Identifier: Apache-2.0
// Philox for AVX2 and FMA. An intrinsic multiplies, because the compiler does not find the single instruction for it.
#include "philox.hpp"

namespace tesserec::philox {

#ifdef __AVX2__
namespace {
constexpr auto multiply = [](const Words& a, std::uint32_t b, Words& product) __attribute__((always_inline)) {
  using Operand [[gnu::vector_size(8 * lanes)]] = int;
  using Result [[gnu::vector_size(8 * lanes)]] = long long;
  const Words factor = Words{} + b;
  Operand x, y;
  __builtin_memcpy(&x, &a, sizeof x);
  __builtin_memcpy(&y, &factor, sizeof y);
  const Result result = __builtin_ia32_pmuludq256(x, y);
  __builtin_memcpy(&product, &result, sizeof product);
};
}  // namespace

void fill_avx2(const Draw& draw, float* out) { fill(draw, multiply, out); }
void quads_avx2(const Counters& counters, std::uint32_t* out) { quads(counters, multiply, out); }
#else
void fill_avx2(const Draw& draw, float* out) { fill_plain(draw, out); }
void quads_avx2(const Counters& counters, std::uint32_t* out) { quads_plain(counters, out); }
#endif

}  // namespace tesserec::philox
