// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include <tesserec/core/number_type.hpp>
#include <tesserec/planning/settings.hpp>

namespace tesserec::sharding {

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
