// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tesserec::products {

/// Precision of the numbers that a product of matrices multiplies; sums are fp32 in each. bf16: rounded to the nearest,
/// ties to even; tf32: as a GPU's tensor cores take floats, 10 bits behind the point (src/dense/README.md).
enum class Precision { fp32, bf16, tf32 };

/// Lists them by the names that a deck has.
inline const std::vector<std::pair<std::string, Precision>>& precisions() {
  static const std::vector<std::pair<std::string, Precision>> all{
      {"fp32", Precision::fp32}, {"bf16", Precision::bf16}, {"tf32", Precision::tf32}};
  return all;
}
inline const std::string& name(Precision precision) { return precisions()[std::size_t(precision)].first; }

}  // namespace tesserec::products
