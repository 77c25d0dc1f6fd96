// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/jagged/keyed_jagged_tensor.hpp>

namespace tesserec::data {

/// One rank's samples of one global batch: those of its lanes, in lane order.
struct Batch {
  Index size = 0;         ///< local samples B
  Index global_size = 0;  ///< samples n of all ranks
  Matrix<float> dense;    ///< at least [B, K]
  Vector<float> labels;   ///< at least [B]
  jagged::KeyedJaggedTensor sparse;
};

}  // namespace tesserec::data
