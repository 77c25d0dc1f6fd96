// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include <tesserec/core/number_type.hpp>
#include <tesserec/planning/settings.hpp>

namespace tesserec::sharding {

/// Precision of finished sums and un-pooled vectors, and of their gradients, as TorchRec's QCommsConfig. Each number is
/// rounded once, even on the rank that owns its row, so that results do not depend on the plan. Partial sums and single
/// rows are exchanged in fp32.
struct ExchangePrecision {
  NumberType forward = NumberType::fp32;
  NumberType backward = NumberType::fp32;
  /// Power of two by which fp16 gradients are multiplied, because gradients of a mean over many samples are small.
  float gradient_scale = 1.0f;
};

/// Returns the bytes per number, for the planner.
inline planning::ExchangeBytes bytes_of(NumberType forward, NumberType backward) {
  const auto bytes = [](NumberType type) { return type == NumberType::fp32 ? 4.0 : 2.0; };
  return {bytes(forward), bytes(backward)};
}

/// Returns the scale for a loss that is a mean over `samples` samples: the least power of two that is not smaller.
inline float gradient_scale(std::int64_t samples) { return float(std::bit_ceil(std::uint64_t(samples))); }

}  // namespace tesserec::sharding
