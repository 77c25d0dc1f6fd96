// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tesserec/planning/settings.hpp>

namespace tesserec::sharding {

/// Formats that numbers are rounded to before they travel.
enum class NumberType { fp32, fp16, bf16 };

/// Lists them by the names that a deck has.
inline const std::vector<std::pair<std::string, NumberType>>& number_types() {
  static const std::vector<std::pair<std::string, NumberType>> all{
      {"fp32", NumberType::fp32}, {"fp16", NumberType::fp16}, {"bf16", NumberType::bf16}};
  return all;
}
inline const std::string& name(NumberType type) { return number_types()[std::size_t(type)].first; }

/// Precision of finished sums and un-pooled vectors, and of their gradients; TorchRec's QCommsConfig. Each is rounded
/// once, wherever its rows lie, so that results do not depend on the plan. Partial sums and single rows travel in fp32.
struct ExchangePrecision {
  NumberType forward = NumberType::fp32;
  NumberType backward = NumberType::fp32;
  /// Gradients of a mean over many samples are small: fp16 has them times this, a power of two.
  float gradient_scale = 1.0f;
};

/// Returns the bytes of a number for the planner.
inline planning::ExchangeBytes bytes_of(NumberType forward, NumberType backward) {
  const auto bytes = [](NumberType type) { return type == NumberType::fp32 ? 4.0 : 2.0; };
  return {bytes(forward), bytes(backward)};
}

/// The scale where the loss is a mean of so many samples.
inline float gradient_scale(std::int64_t samples) { return float(std::bit_ceil(std::uint64_t(samples))); }

}  // namespace tesserec::sharding
