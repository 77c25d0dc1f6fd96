// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/jagged/keyed_jagged_tensor.hpp>

namespace tesserec::data {

/// One rank's samples of one micro-batch of a global batch: those of its lanes, in lane order.
struct Batch {
  /// Its memory is made on `instance`.
  explicit Batch(const Exec& instance) : exec(instance) {}

  Exec exec;
  Index size = 0;         ///< local samples B
  Index global_size = 0;  ///< samples n of all ranks, in all micro-batches
  int micro_batch = 0;    ///< from 0
  Matrix<float> dense;    ///< at least [B, K]
  Vector<float> labels;   ///< at least [B]
  Vector<float> weights;  ///< at least [B] where the source weighs its samples, else empty
  jagged::KeyedJaggedTensor sparse;
};

/// Makes room for B = `size` samples with `dense_features` columns and one bag per sample and key. Reuses views and
/// loses their content. Sets size, global_size, keys and stride, but not values and weights (`reserve_values`).
void reserve_batch(Batch& batch, Index size, Index global_size, Index dense_features,
                   const std::vector<std::string>& keys);
/// Room for `total` ids, with their weights when `weighted`.
void reserve_values(Batch& batch, Index total, bool weighted);

}  // namespace tesserec::data
