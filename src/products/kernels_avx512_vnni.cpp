// SPDX-License-Identifier: Apache-2.0
// Built for AVX-512 F, BW and VNNI on x86-64 (src/CMakeLists.txt).
#include "kernels.hpp"

#ifdef __AVX512VNNI__
#include "avx512_vnni.hpp"
#include "kernels_of.hpp"
#include "two_fma.hpp"

namespace tesserec::products {

constinit const KernelSet avx512_vnni_kernels = kernels_of<Avx512, TwoFma<Avx512, 12>, Avx512Vnni>("avx512_vnni");

}  // namespace tesserec::products
#endif
