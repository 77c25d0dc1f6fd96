// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec {

/// Format that floats are rounded to, to nearest even (core/short_floats.hpp).
enum class NumberType { fp32, fp16, bf16 };

/// Returns all formats by their names in a deck.
inline const std::vector<std::pair<std::string, NumberType>>& number_types() {
  static const std::vector<std::pair<std::string, NumberType>> all{
      {"fp32", NumberType::fp32}, {"fp16", NumberType::fp16}, {"bf16", NumberType::bf16}};
  return all;
}
inline const std::string& name(NumberType type) { return number_types()[std::size_t(type)].first; }

/// Rounds n values in host memory, in place.
void round_to(NumberType type, Index n, float* numbers);

}  // namespace tesserec
