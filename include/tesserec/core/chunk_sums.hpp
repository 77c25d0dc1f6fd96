// SPDX-License-Identifier: Apache-2.0
/// Sums over the rows of pieces (Pieces), a column each: gradients of parameters that no product of matrices gives.
#pragma once

#include <tesserec/core/rows.hpp>

namespace tesserec {

/// Adds rows [begin, end) to `sums`, row after row. On a host columns stand beside each other in registers.
template <class Step>
TESSEREC_LOOPS static void add_rows_to(Index begin, Index end, Index count, float* sums, const Step& given) {
  const Step step = given;
  for (Index row = begin; row < end; ++row)
    for (Index c = 0; c < count; ++c) sums[c] = step(row, c, sums[c]);
}

class ChunkSums {
 public:
  /// +0 in `columns` sums of each piece.
  void begin(const Where& where, const Pieces& pieces, Index columns) {
    pieces_ = pieces;
    columns_ = columns;
    float* const sums = sums_.reserve(where, "tesserec::core::chunk_sums", pieces.count * columns);
    over_numbers(
        where, "tesserec::core::clear", pieces.count * columns, KOKKOS_LAMBDA(Index i) { sums[i] = 0.0f; });
  }

  /// sum = step(row, column, sum) over each piece's rows in order, for columns [0, count); continues sums [first, ...).
  template <class Step>
  void add(const Where& where, const char* label, Index first, Index count, const Step& step) {
    const Pieces pieces = pieces_;
    const Index columns = columns_;
    float* const sums = sums_.data() + first;
    if (where.is_thread()) return add_rows_to(pieces.rows[0], pieces.rows[1], count, sums, step);
    over_elements(
        where, label, pieces.count, count, KOKKOS_LAMBDA(Index piece, Index c) {
          if (piece >= pieces.of_lane[pieces.lanes]) return;
          float sum = sums[piece * columns + c];
          const Index end = pieces.rows[piece + 1];
          for (Index row = pieces.rows[piece]; row < end; ++row) sum = step(row, c, sum);
          sums[piece * columns + c] = sum;
        });
  }

  /// Start that a lane's pieces are added to: the first of them, or +0 (which differs where that one is -0).
  enum class Lane { stored, from_zero };
  /// Each lane's sums [first, first + count) to its place in `gradient`, pieces in order.
  void finish(const Where& where, Index first, Index count, LaneGradients gradient, Lane lane_begins) {
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

 private:
  Pieces pieces_;
  Index columns_ = 0;
  LoopBuffer<float> sums_;
};

}  // namespace tesserec
