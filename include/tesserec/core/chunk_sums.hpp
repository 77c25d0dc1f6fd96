// SPDX-License-Identifier: Apache-2.0
/// Sums over the rows of each piece (Pieces), one per column: gradients of parameters that no matrix product gives.
#pragma once

#include <tesserec/core/rows.hpp>

namespace tesserec {

/// Sets sums[c] = step(row, c, sums[c]) for columns [0, count) and rows [begin, end) in order. The loop over columns is
/// inside, so that it is vectorized.
template <class Step>
TESSEREC_LOOPS static void add_rows_to(Index begin, Index end, Index count, float* sums, const Step& given) {
  const Step step = given;
  for (Index row = begin; row < end; ++row)
    for (Index c = 0; c < count; ++c) sums[c] = step(row, c, sums[c]);
}

/// Functor that continues the sum of one piece and column over the piece's rows.
template <class Step>
struct AddPiece {
  Pieces pieces;
  Index columns;  // row length of `sums`
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

/// Sums of each piece and column, which begin with +0. They give the gradient of each lane.
class ChunkSums {
 public:
  /// Sets `columns` sums of each piece to +0. Keeps `pieces`, whose arrays must stay valid until the loops of finish()
  /// have run.
  void begin(const Where& where, const Pieces& pieces, Index columns);

  /// Sets sum = step(row, column, sum) over each piece's rows in order, for columns [0, count). Continues the sums
  /// [first, first + count) of the piece.
  template <class Step>
  void add(const Where& where, const char* label, Index first, Index count, const Step& step) {
    float* const sums = sums_.data() + first;
    if (where.is_thread()) return add_rows_to(pieces_.rows[0], pieces_.rows[1], count, sums, step);
    over_elements(where, label, pieces_.count, count, AddPiece<Step>{pieces_, columns_, sums, step});
  }

  /// Initial value of a lane's sum: the first piece's sum, or +0, which differs only if that sum is -0.
  enum class Lane { stored, from_zero };
  /// Adds each lane's pieces in order, and writes sums [first, first + count) to elements [0, count) of the lane in
  /// `gradient`. `lane_begins` is ignored if `gradient.add` is set: the sum then begins with the value in `gradient`.
  void finish(const Where& where, Index first, Index count, LaneGradients gradient, Lane lane_begins);

 private:
  Pieces pieces_;
  Index columns_ = 0;
  LoopBuffer<float> sums_;
};

}  // namespace tesserec
