// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/jagged/keyed_jagged_tensor.hpp>

namespace tesserec::data {

/// One rank's samples of one micro-batch of a global batch: the samples of the rank's lanes, in lane order.
struct Batch {
  /// Takes the execution space on which the batch's memory is allocated.
  explicit Batch(const Exec& instance) : exec(instance) {}

  Exec exec;
  Index size = 0;         ///< local samples B
  Index global_size = 0;  ///< samples n of all ranks and all micro-batches
  int micro_batch = 0;    ///< number of the micro-batch in its batch, from 0
  Index tasks = 1;        ///< labels of a sample T
  Matrix<float> dense;    ///< dense features, at least [B, K]
  Vector<float> labels;   ///< labels [B, T] row-major, at least; NaN = the sample lacks the label
  Vector<float> weights;  ///< sample weights, at least [B]; empty if the source has none
  jagged::KeyedJaggedTensor sparse;
};

/// Allocates B = `size` samples with `dense_features` columns, one bag per sample and key, and `tasks` labels. Reuses
/// views that are large enough and loses their content. Sets size, global_size, tasks, keys and stride, but not values
/// and weights (`reserve_values`).
void reserve_batch(Batch& batch, Index size, Index global_size, Index dense_features,
                   const std::vector<std::string>& keys, Index tasks = 1);
/// Allocates `total` ids and, if `weighted`, their weights; else drops the weights.
void reserve_values(Batch& batch, Index total, bool weighted);

}  // namespace tesserec::data
