// SPDX-License-Identifier: Apache-2.0
// The functions of cuBLASLt that the program calls, as plain loops over host memory or as kernels of the emulated
// device. They refuse what the library refuses: matrices that do not fit, addresses off the alignment that an
// algorithm was chosen for, and too small a workspace. Only the last of the offered algorithms takes every size and
// several products without a split.
#include "stand_in.hpp"

#include <cstring>

#include "matmul.hpp"

namespace {

using stand_in::Descriptor, stand_in::Layout, stand_in::Size, stand_in::of_batch;

struct Preference {
  std::uint64_t workspace = 0;
  std::uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_MASK;
  std::uint32_t borders[4] = {256, 256, 256, 256};
};
/// An algorithm in the 64 bytes of cublasLtMatmulAlgo_t.
struct Algorithm {
  std::uint64_t number;
  std::uint32_t workspace;
  std::uint16_t borders[4];
  std::uint8_t parts, least, alone;  // of the depth; rows; whether it takes one product at a time
};
static_assert(sizeof(Algorithm) <= sizeof(cublasLtMatmulAlgo_t));

template <class T, class Opaque>
T& of(Opaque* opaque) {
  return *reinterpret_cast<T*>(opaque);
}
Algorithm read(const cublasLtMatmulAlgo_t* from) {
  Algorithm result;
  std::memcpy(&result, from, sizeof result);
  return result;
}

template <class T>
cublasStatus_t set(T& to, const void* from, std::size_t size) {
  if (size != sizeof to) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&to, from, size);
  return CUBLAS_STATUS_SUCCESS;
}

Size size_of(const Descriptor& p, const Layout& a, const Layout& d) {
  return {std::int64_t(d.rows), std::int64_t(d.columns), std::int64_t(p.a == CUBLAS_OP_T ? a.rows : a.columns)};
}
bool fit(const Descriptor& p, const Layout& a, const Layout& b, const Layout& d) {
  const auto [m, n, k] = size_of(p, a, d);
  const auto is = [](const Layout& l, bool transposed, std::int64_t rows, std::int64_t columns) {
    if (transposed) std::swap(rows, columns);
    return std::int64_t(l.rows) == rows && std::int64_t(l.columns) == columns && l.step >= rows && rows > 0 &&
           columns > 0;
  };
  return is(a, p.a == CUBLAS_OP_T, m, k) && is(b, p.b == CUBLAS_OP_T, k, n) && is(d, false, m, n) &&
         a.count == d.count && b.count == d.count && d.count > 0 && a.type == b.type && d.type == CUDA_R_32F &&
         p.scale == CUDA_R_32F && (p.epilogue == CUBLASLT_EPILOGUE_DEFAULT || p.bias != nullptr);
}

}  // namespace

extern "C" {

const char* cublasLtGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_NOT_SUPPORTED ? "not supported" : "refused";
}
cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  if (stand_in::broken) return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = reinterpret_cast<cublasLtHandle_t>(new int(0));
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete reinterpret_cast<int*>(handle);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* made, cublasComputeType_t compute, cudaDataType_t scale) {
  *made = reinterpret_cast<cublasLtMatmulDesc_t>(new Descriptor{compute, scale});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t made) {
  delete &of<Descriptor>(made);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t made, cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, size_t size) {
  Descriptor& p = of<Descriptor>(made);
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return set(p.a, value, size);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return set(p.b, value, size);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return set(p.epilogue, value, size);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return set(p.bias, value, size);
    default:
      return CUBLAS_STATUS_INVALID_VALUE;
  }
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* made, cudaDataType type, uint64_t rows, uint64_t cols,
                                          int64_t ld) {
  *made = reinterpret_cast<cublasLtMatrixLayout_t>(new Layout{type, rows, cols, ld});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t made) {
  delete &of<Layout>(made);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t made, cublasLtMatrixLayoutAttribute_t attribute,
                                                const void* value, size_t size) {
  Layout& l = of<Layout>(made);
  switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_ROWS:
      return set(l.rows, value, size);
    case CUBLASLT_MATRIX_LAYOUT_COLS:
      return set(l.columns, value, size);
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
      return set(l.count, value, size);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
      return set(l.apart, value, size);
    default:
      return CUBLAS_STATUS_INVALID_VALUE;
  }
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* made) {
  *made = reinterpret_cast<cublasLtMatmulPreference_t>(new Preference);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t made) {
  delete &of<Preference>(made);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t made,
                                                    cublasLtMatmulPreferenceAttributes_t attribute, const void* value,
                                                    size_t size) {
  Preference& p = of<Preference>(made);
  switch (attribute) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
      return set(p.workspace, value, size);
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
      return set(p.reductions, value, size);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
      return set(p.borders[attribute - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES], value, size);
    default:
      return CUBLAS_STATUS_INVALID_VALUE;
  }
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t descriptor,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int most,
                                              cublasLtMatmulHeuristicResult_t found[], int* count) {
  const Descriptor& p = of<Descriptor>(descriptor);
  const Preference& wish = of<Preference>(preference);
  if (most < 5 || c != d || !fit(p, of<Layout>(a), of<Layout>(b), of<Layout>(d))) return CUBLAS_STATUS_INVALID_VALUE;
  ++stand_in::choices;
  const auto [m, n, k] = size_of(p, of<Layout>(a), of<Layout>(d));
  Algorithm made{14695981039346656037ull, std::uint32_t(wish.workspace), {}, 1, 0, 0};
  const auto mix = [&](std::int64_t v) { made.number = (made.number ^ std::uint64_t(v)) * 1099511628211ull; };
  for (const std::int64_t v : {m, n, k, std::int64_t(p.compute), std::int64_t(p.a), std::int64_t(p.b),
                               std::int64_t(p.epilogue), std::int64_t(wish.reductions)})
    mix(v);
  for (const auto* l : {&of<Layout>(a), &of<Layout>(b), &of<Layout>(d)}) mix(l->type), mix(l->step), mix(l->count);
  for (int i = 0; i < 4; ++i) mix(wish.borders[i]), made.borders[i] = std::uint16_t(wish.borders[i]);
  // Offers five: one that splits the depth, one that is not supported, one for several rows, one without batches, one
  // for all.
  *count = 5;
  for (int i = 0; i < *count; ++i) {
    Algorithm one = made;
    one.number += std::uint64_t(i);
    if (i == 0) one.parts = 4;
    if (i == 2) one.least = 2;
    if (i == 3 || (stand_in::one_product_alone && of<Layout>(d).count == 1)) one.alone = 1;
    if (i == 4 && wish.reductions != CUBLASLT_REDUCTION_SCHEME_NONE) one.parts = 2;
    found[i] = {};
    found[i].state = i == 1 ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS;
    found[i].workspaceSize = one.workspace;
    std::memcpy(&found[i].algo, &one, sizeof one);
  }
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t* algo,
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute, void* value,
                                                    size_t size, size_t* written) {
  const std::int32_t parts = read(algo).parts;
  if (attribute != CUBLASLT_ALGO_CONFIG_SPLITK_NUM || size != sizeof parts) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(value, &parts, sizeof parts);
  *written = sizeof parts;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t, cublasLtMatmulDesc_t descriptor, cublasLtMatrixLayout_t a,
                                       cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                       const cublasLtMatmulAlgo_t* algo, cublasLtMatmulHeuristicResult_t* result) {
  const Descriptor& p = of<Descriptor>(descriptor);
  if (c != d || !fit(p, of<Layout>(a), of<Layout>(b), of<Layout>(d))) return CUBLAS_STATUS_INVALID_VALUE;
  const Size size = size_of(p, of<Layout>(a), of<Layout>(d));
  const Algorithm one = read(algo);
  if (std::min(size.n, size.k) < one.least || size.n > stand_in::most_n) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (one.alone != 0 && of<Layout>(d).count > 1) return CUBLAS_STATUS_NOT_SUPPORTED;
  result->workspaceSize = one.workspace;
  result->state = CUBLAS_STATUS_SUCCESS;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t descriptor, const void* alpha,
                              const void* a_data, cublasLtMatrixLayout_t a_layout, const void* b_data,
                              cublasLtMatrixLayout_t b_layout, const void* beta, const void* c_data,
                              cublasLtMatrixLayout_t c_layout, void* d_data, cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* algo, void* workspace, size_t workspace_bytes,
                              cudaStream_t stream) {
  const Descriptor& p = of<Descriptor>(descriptor);
  const Layout &a = of<Layout>(a_layout), &b = of<Layout>(b_layout), &c = of<Layout>(c_layout),
               &d = of<Layout>(d_layout);
  cublasLtMatmulHeuristicResult_t result;
  if (const auto code =
          cublasLtMatmulAlgoCheck(handle, descriptor, a_layout, b_layout, d_layout, d_layout, algo, &result);
      code != CUBLAS_STATUS_SUCCESS)
    return code;
  const Algorithm chosen = read(algo);
  const auto off = [](const void* at, std::uint64_t border) {
    return reinterpret_cast<std::uintptr_t>(at) % border != 0;
  };
  if (off(workspace, 256) || workspace_bytes < chosen.workspace) return CUBLAS_STATUS_INVALID_VALUE;
  const Size size = size_of(p, a, d);
  stand_in::calls.push_back({size.m, size.n, size.k, d.count, chosen.number, chosen.parts});
  for (std::int64_t batch = 0; batch < d.count; ++batch)
    if (off(of_batch(a, a_data, batch), chosen.borders[0]) || off(of_batch(b, b_data, batch), chosen.borders[1]) ||
        off(of_batch(c, c_data, batch), chosen.borders[2]) || off(of_batch(d, d_data, batch), chosen.borders[3]))
      return CUBLAS_STATUS_INVALID_VALUE;
  stand_in::run({p, a, b, c, d, size, a_data, b_data, c_data, d_data, *static_cast<const float*>(alpha),
                 *static_cast<const float*>(beta), static_cast<char*>(workspace), std::int64_t(workspace_bytes)},
                stream);
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
