// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tesserec {

/// Implementation of the compute kernels. simd: the host's vector instructions. portable: kernels for hosts and GPUs,
/// with the bits of simd. cublaslt: portable, but cuBLASLt multiplies matrices, on GPUs and with other bits. automatic:
/// cublaslt in a build for GPUs, portable on the emulated device, else simd.
enum class Kernels { automatic, simd, portable, cublaslt };

/// Returns all kernels by their names in a deck.
inline const std::vector<std::pair<std::string, Kernels>>& all_kernels() {
  static const std::vector<std::pair<std::string, Kernels>> all{{"auto", Kernels::automatic},
                                                                {"simd", Kernels::simd},
                                                                {"portable", Kernels::portable},
                                                                {"cublaslt", Kernels::cublaslt}};
  return all;
}
inline const std::string& name(Kernels kernels) { return all_kernels()[std::size_t(kernels)].first; }

}  // namespace tesserec
