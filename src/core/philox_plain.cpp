// SPDX-License-Identifier: Apache-2.0
#include "philox_vectors.hpp"

namespace tesserec::philox {

namespace {
struct PlainPhilox {
  static constexpr int lanes = 2, vectors = 2;
  using Words = CounterVectors<lanes>::Words;
  using Floats = CounterVectors<lanes>::Floats;
  static constexpr Words even{0, 2}, odd{1, 3};

  [[gnu::always_inline]] static Words multiply(const Words& a, std::uint32_t b) { return (a & 0xffffffff) * b; }
  [[gnu::always_inline]] static Floats fused(const Floats& a, const Floats& b, const Floats& c) {
    return Floats{__builtin_fmaf(a[0], b[0], c[0]), __builtin_fmaf(a[1], b[1], c[1]), __builtin_fmaf(a[2], b[2], c[2]),
                  __builtin_fmaf(a[3], b[3], c[3])};
  }
};
}  // namespace

void fill_plain(const Draw& draw) { fill<PlainPhilox>(draw); }
void quads_plain(const Counters& counters, std::uint32_t* out) { quads<PlainPhilox>(counters, out); }

}  // namespace tesserec::philox
