// SPDX-License-Identifier: Apache-2.0
#include <tesserec/core/chunk_sums.hpp>

namespace tesserec {

void ChunkSums::begin(const Where& where, const Pieces& pieces, Index columns) {
  pieces_ = pieces;
  columns_ = columns;
  float* const sums = sums_.reserve(where, "tesserec::core::chunk_sums", pieces.count * columns);
  over_numbers(
      where, "tesserec::core::clear", pieces.count * columns, KOKKOS_LAMBDA(Index i) { sums[i] = 0.0f; });
}

void ChunkSums::finish(const Where& where, Index first, Index count, LaneGradients gradient, Lane lane_begins) {
  const Pieces pieces = pieces_;
  const Index columns = columns_;
  const float* const sums = sums_.data() + first;
  const bool from_zero = lane_begins == Lane::from_zero;
  over_elements(
      where, "tesserec::core::lane_gradient", pieces.lanes, count, KOKKOS_LAMBDA(Index lane, Index c) {
        float& to = gradient.data[lane * gradient.stride + c];
        const Index begin = pieces.of_lane[lane], end = pieces.of_lane[lane + 1];
        float sum = gradient.add ? to : 0.0f;
        for (Index piece = begin; piece < end; ++piece) {
          const float of_piece = sums[piece * columns + c];
          sum = piece == begin && !from_zero && !gradient.add ? of_piece : sum + of_piece;
        }
        to = sum;
      });
}

}  // namespace tesserec
