// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <cuda_runtime.h>

#include <tesserec/core/error.hpp>

namespace tesserec {

/// Throws Error with the name of the call and CUDA's text if `code` is not cudaSuccess.
inline void check(cudaError_t code, const char* call) {
  if (code != cudaSuccess) fail(call, ": ", cudaGetErrorString(code));
}

}  // namespace tesserec
#endif
