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

/// Continues the sums of one piece and column over the piece's rows.
template <class Step>
struct AddPiece {
  Pieces pieces;
  Index columns;  // of `sums`
  float* sums;
  Step step;
  TESSEREC_FUNCTION void operator()(Index piece, Index c) const {
    if (piece >= pieces.of_lane[pieces.lanes]) return;
    float sum = sums[piece * columns + c];
    const Index end = pieces.rows[piece + 1];
    for (Index row = pieces.rows[piece]; row < end; ++row) sum = step(row, c, sum);
    sums[piece * columns + c] = sum;
  }
};

/// Sums of each piece and column, which begin with +0, and from them the gradient of each lane.
class ChunkSums {
 public:
  /// Clears `columns` sums of each piece.
  void begin(const Where& where, const Pieces& pieces, Index columns);

  /// sum = step(row, column, sum) over each piece's rows in order, for columns [0, count); continues sums [first, ...).
  template <class Step>
  void add(const Where& where, const char* label, Index first, Index count, const Step& step) {
    float* const sums = sums_.data() + first;
    if (where.is_thread()) return add_rows_to(pieces_.rows[0], pieces_.rows[1], count, sums, step);
    over_elements(where, label, pieces_.count, count, AddPiece<Step>{pieces_, columns_, sums, step});
  }

  /// Start that a lane's pieces are added to: the first of them, or +0 (which differs where that one is -0).
  enum class Lane { stored, from_zero };
  /// Adds each lane's pieces in order, and writes sums [first, first + count) to the lane's place in `gradient`.
  void finish(const Where& where, Index first, Index count, LaneGradients gradient, Lane lane_begins);

 private:
  Pieces pieces_;
  Index columns_ = 0;
  LoopBuffer<float> sums_;
};

}  // namespace tesserec
