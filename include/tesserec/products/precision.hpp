// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tesserec::products {

/// Precision of the operands of a matrix product; sums are fp32 in each. bf16 rounds to nearest, ties to even. tf32 is
/// a GPU tensor core's rounding of floats to 10 mantissa bits (src/products/README.md).
enum class Precision { fp32, bf16, tf32 };

/// Returns all precisions by the names that a deck uses, in the order of the enumeration.
inline const std::vector<std::pair<std::string, Precision>>& precisions() {
  static const std::vector<std::pair<std::string, Precision>> all{
      {"fp32", Precision::fp32}, {"bf16", Precision::bf16}, {"tf32", Precision::tf32}};
  return all;
}
inline const std::string& name(Precision precision) { return precisions()[std::size_t(precision)].first; }

}  // namespace tesserec::products
