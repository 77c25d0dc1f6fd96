// SPDX-License-Identifier: Apache-2.0
/// Rows, sequences and pieces: the values of a batch as layers and losses read and write them.
#pragma once

#include <type_traits>

#include <tesserec/core/index.hpp>
#include <tesserec/core/loops.hpp>

namespace tesserec {

/// Rows of `width` values, `stride` values apart. A null `data` means that the rows are not wanted.
template <class T>
struct Rows {
  T* data = nullptr;
  Index width = 0;
  Index stride = 0;
  TESSEREC_FUNCTION T* operator[](Index row) const { return data + row * stride; }
  /// Converts to rows that can only be read.
  template <class U>
  requires(!std::is_const_v<T> && std::is_same_v<U, const T>) operator Rows<U>() const { return {data, width, stride}; }
};

/// Vectors of a sequence feature: each sample has any number of them, none included. Row i is vector i, in the order of
/// samples.
struct Lengths {
  const Index* offsets = nullptr;  ///< [samples + 1] number of vectors before each sample, plus any constant
  const Index* on_host = nullptr;  ///< the same in host memory
  Index first = 0;                 ///< offsets[0]
  Index vectors = 0;               ///< number of vectors of all samples
  /// Returns the rows of a sample.
  TESSEREC_FUNCTION Range of(Index sample) const { return {offsets[sample] - first, offsets[sample + 1] - first}; }
};

/// Copies rows: to = from.
void copy_rows(const Where& where, Index rows, Rows<const float> from, Rows<float> to);
/// Adds rows: to += from.
void add_rows(const Where& where, Index rows, Rows<const float> from, Rows<float> to);
/// Clears rows: to = 0.
void clear_rows(const Where& where, Index rows, Rows<float> to);

/// A batch's rows cut into pieces, one for each chunk. A lane adds the finished sums of its pieces in order. On a
/// thread a batch is one piece.
struct Pieces {
  Index count = 0;  ///< number of pieces of all lanes, or an upper bound
  Index lanes = 0;
  const Index* rows = nullptr;     ///< [of_lane[lanes] + 1] first row of each piece, and the end
  const Index* of_lane = nullptr;  ///< [lanes + 1] first piece of each lane, and the end
  /// [lanes + 1] first row of each lane, and the end, in host memory.
  const Index* lane_rows = nullptr;
};

/// The pieces of a batch on a thread: one piece of `rows` rows.
class OnePiece {
 public:
  explicit OnePiece(Index rows) : rows_{0, rows} {}
  /// Returns the pieces, which are valid while this object lives.
  Pieces pieces() const { return {1, 1, rows_, of_lane_, rows_}; }

 private:
  Index rows_[2], of_lane_[2] = {0, 1};
};

/// Gradients of the parameters, in floats, one set per lane. The sets are `stride` apart; gaps between tensors are not
/// written.
struct LaneGradients {
  float* data = nullptr;
  Index stride = 0;
  bool add = false;  ///< addition to the finished sum in `data`, instead of overwriting it
  /// Returns the gradients that begin `offset` floats later.
  LaneGradients from(Index offset) const { return {data + offset, stride, add}; }
};

/// Memory that a layer or a loss keeps for a batch at one Where.
struct Workspace {
  virtual ~Workspace() = default;
};

}  // namespace tesserec
