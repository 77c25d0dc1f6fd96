// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/core/philox_rounds.hpp>
#include <tesserec/dense/layer.hpp>

namespace tesserec::dense {

/// Of a draw in [-1, 1) what a number is multiplied by: 0 with probability `rate`, else 1 / (1 - rate).
struct Kept {
  explicit Kept(double rate) : below(float(2.0 * rate - 1.0)), by(float(1.0 / (1.0 - rate))) {}
  TESSEREC_FUNCTION float factor(float draw) const { return draw < below ? 0.0f : by; }
  float below, by;
};

/// The row of random numbers that a chunk's or batch's first sample has.
inline Index first_draw(const Layer::Draw& draw) { return (draw.step << 32) + draw.first_sample; }

}  // namespace tesserec::dense
