// SPDX-License-Identifier: Apache-2.0
#include "cublaslt.hpp"

#include <array>

#include <tesserec/core/error.hpp>

namespace tesserec::products {
namespace {

std::string text_of(const LtProduct& p, const LtSize& size) {
  const std::string many = size.count > 1 ? concat(size.count, " products of ") : "";
  const char* const a = p.a_transposed ? ", the first transposed" : "";
  const char* const b = p.b_transposed ? ", the second transposed" : "";
  return concat(" of ", many, p.m, " x ", size.k, " by ", size.k, " x ", size.n, " in ", name(p.precision), a, b);
}

}  // namespace

LtHandle make_lt_handle() {
  cublasLtHandle_t made = nullptr;
  const cublasStatus_t code = cublasLtCreate(&made);
  if (code != CUBLAS_STATUS_SUCCESS) fail("cublasLtCreate: ", cublasLtGetStatusString(code));
  return LtHandle(made);
}

void PinnedProduct::expect(cublasStatus_t code, const char* call, const LtSize& size) const {
  if (code != CUBLAS_STATUS_SUCCESS) fail(call, text_of(product_, size), ": ", cublasLtGetStatusString(code));
}

PinnedProduct::Layout PinnedProduct::layout(cudaDataType_t type, std::int64_t step) const {
  cublasLtMatrixLayout_t made = nullptr;
  expect(cublasLtMatrixLayoutCreate(&made, type, 1, 1, step), "cublasLtMatrixLayoutCreate", {product_.n, product_.k});
  return Layout(made);
}

PinnedProduct::PinnedProduct(cublasLtHandle_t handle, const LtProduct& product, const LtSize& least,
                             std::size_t workspace)
    : handle_(handle), product_(product), workspace_(workspace) {
  const LtSize usual{product.n, product.k};
  const auto compute = product.precision == Precision::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  cublasLtMatmulDesc_t descriptor = nullptr;
  expect(cublasLtMatmulDescCreate(&descriptor, compute, CUDA_R_32F), "cublasLtMatmulDescCreate", usual);
  descriptor_.reset(descriptor);
  const auto set = [&](cublasLtMatmulDescAttributes_t attribute, const auto& value) {
    expect(cublasLtMatmulDescSetAttribute(descriptor, attribute, &value, sizeof value),
           "cublasLtMatmulDescSetAttribute", usual);
  };
  set(CUBLASLT_MATMUL_DESC_TRANSA, product.a_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(CUBLASLT_MATMUL_DESC_TRANSB, product.b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
  if (product.bias) {
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
    constexpr std::uintptr_t alignment = 16;  // bytes; the heuristic needs an aligned, non-null bias
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, alignment);
  }
  const auto type = product.precision == Precision::bf16 ? CUDA_R_16BF : CUDA_R_32F;
  a_ = layout(type, product.a_step);
  b_ = layout(type, product.b_step);
  d_ = layout(CUDA_R_32F, product.d_step);

  cublasLtMatmulPreference_t made = nullptr;
  expect(cublasLtMatmulPreferenceCreate(&made), "cublasLtMatmulPreferenceCreate", usual);
  const Owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy> preference(made);
  const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, const auto& value) {
    expect(cublasLtMatmulPreferenceSetAttribute(made, attribute, &value, sizeof value),
           "cublasLtMatmulPreferenceSetAttribute", usual);
  };
  prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t(workspace));
  prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, std::uint32_t(CUBLASLT_REDUCTION_SCHEME_NONE));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, product.a_alignment);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, product.b_border);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, product.d_border);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, product.d_border);

  // Algorithms proposed for the usual size have priority. An algorithm that runs one product may refuse several, as in
  // calls over lanes. Hence algorithms proposed for several products and for the least size follow.
  LtSize several = least;
  several.n = usual.n;
  several.k = usual.k;
  const std::array sizes{usual, several, least};
  for (const LtSize& size : sizes) {
    constexpr int max_found = 16;
    cublasLtMatmulHeuristicResult_t found[max_found] = {};  // nvcc 13 cannot compile a std::vector of these
    int count = 0;
    resize(size);
    const cublasStatus_t code = cublasLtMatmulAlgoGetHeuristic(handle, descriptor, a_.get(), b_.get(), d_.get(),
                                                               d_.get(), made, max_found, found, &count);
    if (code == CUBLAS_STATUS_NOT_SUPPORTED) continue;
    expect(code, "cublasLtMatmulAlgoGetHeuristic", size);
    for (int i = 0; i < count; ++i)
      if (found[i].state == CUBLAS_STATUS_SUCCESS && takes(found[i].algo, sizes)) return;
  }
  fail("cuBLASLt has no algorithm without a split depth", text_of(product, usual), "; set run.kernels = \"portable\"");
}

bool PinnedProduct::takes(const cublasLtMatmulAlgo_t& algorithm, std::span<const LtSize> sizes) {
  std::int32_t splits = 0;
  std::size_t written = 0;
  expect(cublasLtMatmulAlgoConfigGetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &splits, sizeof splits,
                                              &written),
         "cublasLtMatmulAlgoConfigGetAttribute", sizes.front());
  if (splits > 1) return false;
  for (const LtSize& product_size : sizes) {
    resize(product_size);
    if (check(algorithm) != CUBLAS_STATUS_SUCCESS) return false;
  }
  algorithm_ = algorithm;
  return true;
}

void PinnedProduct::resize(const LtSize& size) {
  const auto set = [&](const Layout& layout, cublasLtMatrixLayoutAttribute_t attribute, const auto& value) {
    expect(cublasLtMatrixLayoutSetAttribute(layout.get(), attribute, &value, sizeof value),
           "cublasLtMatrixLayoutSetAttribute", size);
  };
  const auto matrix = [&](const Layout& layout, bool transposed, std::int64_t height, std::int64_t width,
                          std::int64_t stride) {
    set(layout, CUBLASLT_MATRIX_LAYOUT_ROWS, std::uint64_t(transposed ? width : height));
    set(layout, CUBLASLT_MATRIX_LAYOUT_COLS, std::uint64_t(transposed ? height : width));
    set(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, size.count);
    set(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, stride);
  };
  matrix(a_, product_.a_transposed, product_.m, size.k, size.a_batch_stride);
  matrix(b_, product_.b_transposed, size.k, size.n, size.b_batch_stride);
  matrix(d_, false, product_.m, size.n, size.d_batch_stride);
}

cublasStatus_t PinnedProduct::check(const cublasLtMatmulAlgo_t& algorithm) const {
  cublasLtMatmulHeuristicResult_t result = {};
  const cublasStatus_t code =
      cublasLtMatmulAlgoCheck(handle_, descriptor_.get(), a_.get(), b_.get(), d_.get(), d_.get(), &algorithm, &result);
  if (code != CUBLAS_STATUS_SUCCESS) return code;
  return result.workspaceSize <= workspace_ ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

void PinnedProduct::operator()(const LtSize& size, const void* a, const void* b, const float* bias, float* d,
                               LtWorkspace workspace, cudaStream_t stream) {
  if (!(size == checked_)) {
    checked_ = {};
    resize(size);
    expect(check(algorithm_), "cublasLtMatmulAlgoCheck", size);
    checked_ = size;
  }
  if (product_.bias)
    expect(cublasLtMatmulDescSetAttribute(descriptor_.get(), CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias),
           "cublasLtMatmulDescSetAttribute", size);
  const float one = 1.0f, zero = 0.0f;
  expect(cublasLtMatmul(handle_, descriptor_.get(), &one, a, a_.get(), b, b_.get(), &zero, d, d_.get(), d, d_.get(),
                        &algorithm_, workspace.data, workspace.bytes, stream),
         "cublasLtMatmul", size);
}

}  // namespace tesserec::products
