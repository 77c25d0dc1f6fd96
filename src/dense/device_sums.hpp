// SPDX-License-Identifier: Apache-2.0
/// Sums over the rows of pieces (Pieces), a column each: what parameters that are no matrices get as a gradient.
#pragma once

#include <tesserec/core/device_loops.hpp>
#include <tesserec/dense/device_layer.hpp>
#include <tesserec/dense/device_products.hpp>

namespace tesserec::dense {

class ChunkSums {
 public:
  /// +0 in `columns` sums of each piece.
  void begin(const Device& device, const Pieces& pieces, Index columns) {
    pieces_ = pieces;
    columns_ = columns;
    reserve_device(device, sums_, "tesserec::dense::chunk_sums", pieces.count * columns);
    float* const sums = sums_.data();
    over_numbers(
        device, "tesserec::dense::clear", pieces.count * columns, KOKKOS_LAMBDA(Index i) { sums[i] = 0.0f; });
  }

  /// sum = step(row, column, sum) over each piece's rows in order, for columns [0, count); continues sums [first, ...).
  template <class Step>
  void add(const Device& device, const char* label, Index first, Index count, const Step& step) {
    const Pieces pieces = pieces_;
    const Index columns = columns_;
    float* const sums = sums_.data();
    over_numbers(
        device, label, pieces.count * count, KOKKOS_LAMBDA(Index i) {
          const Index piece = i / count, c = i % count;
          if (piece >= pieces.of_lane[pieces.lanes]) return;
          float sum = sums[piece * columns + first + c];
          const Index end = pieces.rows[piece + 1];
          for (Index row = pieces.rows[piece]; row < end; ++row) sum = step(row, c, sum);
          sums[piece * columns + first + c] = sum;
        });
  }

  /// Start that a lane's pieces are added to: the first of them, or +0 (which differs where that one is -0).
  enum class Lane { stored, from_zero };
  /// Each lane's sums [first, first + count) to its place in `gradient`, pieces in order.
  void finish(const Device& device, Index first, Index count, LaneGradients gradient, Lane lane_begins) {
    const Pieces pieces = pieces_;
    const Index columns = columns_;
    const float* const sums = sums_.data();
    const bool from_zero = lane_begins == Lane::from_zero;
    over_numbers(
        device, "tesserec::dense::lane_gradient", pieces.lanes * count, KOKKOS_LAMBDA(Index i) {
          const Index lane = i / count, c = i % count;
          const Index begin = pieces.of_lane[lane], end = pieces.of_lane[lane + 1];
          float sum = 0.0f;
          for (Index piece = begin; piece < end; ++piece) {
            const float of_piece = sums[piece * columns + first + c];
            sum = piece == begin && !from_zero ? of_piece : sum + of_piece;
          }
          gradient.data[lane * gradient.stride + c] = sum;
        });
  }

 private:
  Pieces pieces_;
  Index columns_ = 0;
  DeviceVector<float> sums_;
};

/// Writes the bias's gradient beside a weight's: the column sums of dy of each lane, piece by piece, where there is a
/// bias.
void bias_gradient(const Device& device, const DeviceProducts::WeightGradient& product, ChunkSums& sums);

}  // namespace tesserec::dense
