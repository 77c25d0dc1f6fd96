// SPDX-License-Identifier: Apache-2.0
/// Helpers of layers over sequences.
#pragma once

#include <vector>

#include <tesserec/core/lanes.hpp>
#include <tesserec/core/rows.hpp>

namespace tesserec::layers {

/// Writes the sample of each vector into `to`, [vectors].
const Index* samples_of(const Where& where, Index rows, const Lengths& lengths, LoopBuffer<Index>& to);

/// out = sum_j w_j h_j over a sample's vectors, a chain of fma from +0.
void add_weighted(const Where& where, Index rows, const LayerInput& vectors, const float* weights, Rows<float> out);

/// Vectors of chunks on a device, in pieces of a chunk's number of samples. A lane's empty first chunk has an empty
/// piece, +0.
class VectorBlocks {
 public:
  Pieces cut(const Where& where, const Pieces& chunks, const Lengths& lengths);

 private:
  LoopBuffer<Index> rows_, of_chunk_, of_lane_;
  std::vector<Index> lane_rows_;
};

}  // namespace tesserec::layers
