// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tesserec {

/// Kernels that compute: the host's vector instructions, or portable kernels, one text for hosts and GPUs, whose bits
/// are the same; cublaslt: portable ones, but products of matrices by cuBLASLt, with bits of their own, in a build for
/// GPUs. automatic: cublaslt there, simd elsewhere.
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
