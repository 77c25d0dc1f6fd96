// SPDX-License-Identifier: Apache-2.0
// A product of matrices as the stand-in for cuBLASLt computes it.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include <cublasLt.h>

#ifdef TESSEREC_EMULATED
#include <tesserec/emulated/launch.hpp>
#endif

namespace stand_in {

struct Descriptor {
  cublasComputeType_t compute;
  cudaDataType_t scale;
  cublasOperation_t a = CUBLAS_OP_N, b = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const float* bias = nullptr;
};
struct Layout {
  cudaDataType type;
  std::uint64_t rows, columns;
  std::int64_t step;
  std::int32_t count = 1;
  std::int64_t apart = 0;
};
struct Size {
  std::int64_t m, n, k;
};
inline float number(const Layout& l, const void* data, bool transposed, std::int64_t i, std::int64_t j) {
  const std::int64_t at = transposed ? j + i * l.step : i + j * l.step;
  if (l.type == CUDA_R_32F) return static_cast<const float*>(data)[at];
  return std::bit_cast<float>(std::uint32_t(static_cast<const std::uint16_t*>(data)[at]) << 16);
}
inline const void* of_batch(const Layout& l, const void* data, std::int64_t i) {
  return static_cast<const char*>(data) + i * l.apart * (l.type == CUDA_R_32F ? 4 : 2);
}

/// A call: operator() computes one element of d. It also writes to the workspace, as far as that reaches.
struct Matmul {
  Descriptor p;
  Layout a, b, c, d;
  Size size;
  const void *a_data, *b_data, *c_data;
  void* d_data;
  float by, and_by;
  char* workspace;
  std::int64_t workspace_bytes;

  std::int64_t elements() const { return size.m * size.n * d.count; }
  void operator()(std::int64_t element) const {
    const std::int64_t i = element % size.m, j = element / size.m % size.n, batch = element / (size.m * size.n);
    const void *const from_a = of_batch(a, a_data, batch), *const from_b = of_batch(b, b_data, batch);
    if (element < workspace_bytes) workspace[element] = 1;
    float sum = 0.0f;
    for (std::int64_t l = 0; l < size.k; ++l)
      sum = std::fma(number(a, from_a, p.a == CUBLAS_OP_T, i, l), number(b, from_b, p.b == CUBLAS_OP_T, l, j), sum);
    float result = by * sum;
    if (and_by != 0.0f) result += and_by * number(c, of_batch(c, c_data, batch), false, i, j);
    if ((p.epilogue & CUBLASLT_EPILOGUE_BIAS) != 0) result += p.bias[i];
    if ((p.epilogue & CUBLASLT_EPILOGUE_RELU) != 0) result = std::fmax(result, 0.0f);  // not a number: 0
    static_cast<float*>(const_cast<void*>(of_batch(d, d_data, batch)))[i + j * d.step] = result;
  }
};

/// Runs the product, or queues it if `stream` is an emulated device.
inline void run(const Matmul& matmul, [[maybe_unused]] cudaStream_t stream) {
#ifdef TESSEREC_EMULATED
  tesserec::emulated::launch_numbers(*reinterpret_cast<const tesserec::emulated::Device*>(stream), "cublasLtMatmul",
                                     matmul.elements(), matmul);
#else
  for (std::int64_t i = 0; i < matmul.elements(); ++i) matmul(i);
#endif
}

}  // namespace stand_in
