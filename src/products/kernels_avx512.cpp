// SPDX-License-Identifier: Apache-2.0
// Built for AVX-512 F on x86-64 (src/CMakeLists.txt).
#include "kernels.hpp"

#ifdef __AVX512F__
#include "avx512_vector.hpp"
#include "kernels_of.hpp"
#include "two_fma.hpp"

namespace tesserec::products {
namespace {

using Avx512Bf16 = TwoFma<Avx512, 12>;  // 24 sums + 4 halves of b + 2 of a + 1 mask = 31 of 32 registers

}  // namespace

constinit const KernelSet avx512_kernels = kernels_of<Avx512, Avx512Bf16>("avx512");

}  // namespace tesserec::products
#endif
