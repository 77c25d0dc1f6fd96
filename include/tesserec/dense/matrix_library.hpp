// SPDX-License-Identifier: Apache-2.0
/// The matrix library (oneDNN) behind two products and one instruction set. Its header is included in
/// src/dense/matrix_library.cpp alone.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tesserec/core/kokkos.hpp>

namespace tesserec::dense {

/// "oneDNN".
std::string matrix_library_name();
/// "2.6.3", of the library that was loaded.
std::string matrix_library_version();

/// The instruction set the library uses, such as "avx2" or "avx512_core". Asking fixes it for the life of the
/// process.
std::string instruction_set();
/// The best one this machine and DNNL_MAX_CPU_ISA in the environment allow, found without touching the
/// library.
std::string supported_instruction_set();
/// The best one that all of `names` contain. Errors: a name that is not known.
std::string common_instruction_set(const std::vector<std::string>& names);
/// From now on nothing above `name` is used; it replaces DNNL_MAX_CPU_ISA. Must come before instruction_set()
/// and the first product. The ranks of a job call it with the common set of what each supports. Errors: a
/// name that is not known, or too late.
void limit_instruction_set(const std::string& name);

/// The products of one linear layer with `in` inputs and `out` outputs, on `rows` samples.
struct LayerShape {
  Index rows = 0, in = 0, out = 0;
  auto operator<=>(const LayerShape&) const = default;
};

/// Products of one worker. Each shape is prepared once; every call runs on the calling thread alone, so the
/// bits are a function of the shape and the numbers. All matrices are dense and row-major; 64-byte alignment
/// is best. Two threads need two of these.
class MatrixProducts {
 public:
  MatrixProducts();
  ~MatrixProducts();
  MatrixProducts(MatrixProducts&&) noexcept;

  /// y [rows, out] = x [rows, in] * w^T + bias, then max(0, y) with `relu`; w is [out, in].
  void forward(const LayerShape& shape, bool relu, const float* x, const float* w, const float* bias,
               float* y);
  /// dx [rows, in] = dy [rows, out] * w.
  void input_gradient(const LayerShape& shape, const float* dy, const float* w, float* dx);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tesserec::dense
