// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tesserec {

/// Kernels that compute: the host's vector instructions; portable kernels for hosts and GPUs, with the same bits;
/// cublaslt: portable, but matrix products by cuBLASLt, with other bits, on GPUs. automatic: cublaslt there, else simd.
enum class Kernels { automatic, simd, portable, cublaslt };

/// Lists them by the names that a deck has.
inline const std::vector<std::pair<std::string, Kernels>>& all_kernels() {
  static const std::vector<std::pair<std::string, Kernels>> all{{"auto", Kernels::automatic},
                                                                {"simd", Kernels::simd},
                                                                {"portable", Kernels::portable},
                                                                {"cublaslt", Kernels::cublaslt}};
  return all;
}
inline const std::string& name(Kernels kernels) { return all_kernels()[std::size_t(kernels)].first; }

}  // namespace tesserec
