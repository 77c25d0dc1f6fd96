// SPDX-License-Identifier: Apache-2.0
/// Rows, sequences and pieces: the numbers of a batch as layers and losses read and write them.
#pragma once

#include <type_traits>

#include <tesserec/core/index.hpp>
#include <tesserec/core/loops.hpp>

namespace tesserec {

/// Rows of `width` numbers, `stride` floats from one row to the next. Null: nobody wants them.
template <class T>
struct Rows {
  T* data = nullptr;
  Index width = 0;
  Index stride = 0;
  TESSEREC_FUNCTION T* operator[](Index row) const { return data + row * stride; }
  /// For reading alone.
  template <class U>
  requires(!std::is_const_v<T> && std::is_same_v<U, const T>) operator Rows<U>() const { return {data, width, stride}; }
};

/// The vectors of a sequence: a sample has some, or none. Its rows are vectors, the samples' one after the other.
struct Lengths {
  const Index* offsets = nullptr;  ///< [samples + 1] vectors before each sample, counted from any number
  const Index* on_host = nullptr;  ///< the same in the host's memory
  Index first = 0;                 ///< offsets[0]
  Index vectors = 0;               ///< of all samples
  TESSEREC_FUNCTION Range of(Index sample) const { return {offsets[sample] - first, offsets[sample + 1] - first}; }
};

/// Copies rows: to = from.
void copy_rows(const Where& where, Index rows, Rows<const float> from, Rows<float> to);
/// Adds rows: to += from.
void add_rows(const Where& where, Index rows, Rows<const float> from, Rows<float> to);
/// Clears rows: to = 0.
void clear_rows(const Where& where, Index rows, Rows<float> to);

/// A batch's rows by chunk: a lane adds the chunks' finished sums one after the other. On a thread a batch is one
/// chunk.
struct Pieces {
  Index count = 0;  ///< of all lanes, or more than that
  Index lanes = 0;
  const Index* rows = nullptr;     ///< [of_lane[lanes] + 1] the first row of a piece, and the end
  const Index* of_lane = nullptr;  ///< [lanes + 1] the first piece of a lane, and the end
  /// [lanes + 1] the first row of a lane, and the end, in the host's memory.
  const Index* lane_rows = nullptr;
};

/// Pieces of a batch on a thread: one of `rows` rows.
class OnePiece {
 public:
  explicit OnePiece(Index rows) : rows_{0, rows} {}
  /// While this lives.
  Pieces pieces() const { return {1, 1, rows_, of_lane_, rows_}; }

 private:
  Index rows_[2], of_lane_[2] = {0, 1};
};

/// Gradients of the parameters, floats, lanes `stride` apart. Gaps between the tensors are left alone.
struct LaneGradients {
  float* data = nullptr;
  Index stride = 0;
  bool add = false;  ///< to what is there, a finished sum; else it is overwritten
  LaneGradients from(Index offset) const { return {data + offset, stride, add}; }
};

/// Memory that a layer, or a loss, keeps about a batch at one Where.
struct Workspace {
  virtual ~Workspace() = default;
};

}  // namespace tesserec
