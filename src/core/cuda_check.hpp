// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <tesserec/core/error.hpp>

namespace tesserec {

inline void check(cudaError_t code, const char* call) {
  if (code != cudaSuccess) fail(call, ": ", cudaGetErrorString(code));
}

}  // namespace tesserec
