// SPDX-License-Identifier: Apache-2.0
/// Helpers for layers over sequences.
#pragma once

#include <vector>

#include <tesserec/core/lanes.hpp>
#include <tesserec/core/rows.hpp>
#include <tesserec/layers/layer.hpp>

namespace tesserec::layers {

/// Writes each vector's sample into `to` [vectors] and returns its data.
const Index* samples_of(const Where& where, Index rows, const Lengths& lengths, LoopBuffer<Index>& to);

/// Computes out = sum_j w_j h_j over each sample's vectors, one fma chain from +0.
void add_weighted(const Where& where, Index rows, const LayerInput& vectors, const float* weights, Rows<float> out);

/// Pieces of up to chunk_samples vectors, cut from the vectors of each chunk on a device. A lane's first chunk has one
/// empty piece if it has no vectors, whose sum is +0.
class VectorBlocks {
 public:
  Pieces cut(const Where& where, const Pieces& chunks, const Lengths& lengths);

 private:
  LoopBuffer<Index> rows_, of_chunk_, of_lane_;
  std::vector<Index> lane_rows_;
};

}  // namespace tesserec::layers
