// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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

/// Returns the bytes of a number.
inline Index bytes_of(NumberType type) { return type == NumberType::fp32 ? 4 : 2; }

/// Rounds n values in host memory, in place.
void round_to(NumberType type, Index n, float* numbers);

/// Widens n values of a format of 16 bits.
void widen(NumberType type, Index n, const std::uint16_t* from, float* to);
/// Rounds n values to a format of 16 bits. Returns how many of them the format does not have.
Index narrow(NumberType type, Index n, const float* from, std::uint16_t* to);

}  // namespace tesserec
