// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tesserec::products {

/// Precision of the operands of a matrix product; sums are fp32, of int8 exact. bf16 rounds to nearest, ties to even.
/// tf32 is a GPU tensor core's rounding of floats to 10 mantissa bits. int8 is for scores on hosts alone
/// (src/products/README.md).
enum class Precision { fp32, bf16, tf32, int8 };

/// Largest depth of a product in int8, whose sum of codes, at most 255 x 127 each, an integer of 32 bits holds.
inline constexpr std::int64_t most_codes = 65536;

/// Returns the precisions of training by the names that a deck uses, in the order of the enumeration.
inline const std::vector<std::pair<std::string, Precision>>& precisions() {
  static const std::vector<std::pair<std::string, Precision>> all{
      {"fp32", Precision::fp32}, {"bf16", Precision::bf16}, {"tf32", Precision::tf32}};
  return all;
}
/// Returns the precisions of a host's scores by name.
inline const std::vector<std::pair<std::string, Precision>>& served_precisions() {
  static const std::vector<std::pair<std::string, Precision>> all{
      {"fp32", Precision::fp32}, {"bf16", Precision::bf16}, {"int8", Precision::int8}};
  return all;
}
inline const std::string& name(Precision precision) {
  return precision == Precision::int8 ? served_precisions().back().first : precisions()[std::size_t(precision)].first;
}

}  // namespace tesserec::products
