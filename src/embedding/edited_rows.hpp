// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <tesserec/embedding/table.hpp>

namespace tesserec::embedding {

/// Rows of a shard in host memory, in fp32, while an update reads and writes them. Rows of 16 bits are widened into
/// buffers, some at a time, and written back with stochastic rounding. Each row may be taken once.
class EditedRows {
 public:
  /// `writes`: the rows change by step `step`. Otherwise they are only read.
  EditedRows(const EmbeddingTable& table, Index step, bool writes);
  EditedRows(const EditedRows&) = delete;
  /// Writes the last rows back.
  ~EditedRows() { write_back(); }

  /// Returns the row at a slot with its gradient, valid until the next call.
  optim::Row row(Index slot, const float* gradient) {
    return is_short_ ? widened(slot, gradient) : store_.row(slot, gradient);
  }

 private:
  static constexpr Index rows_at_once = 32;  // with 64 columns their random numbers and floats fill half of an L1 cache

  optim::Row widened(Index slot, const float* gradient);
  void write_back();

  const RowStore& store_;
  bool is_short_, writes_;
  Random rounding_;
  Index dim_, first_quad_;
  std::vector<Index> slots_;           // of the rows in `weights_`
  std::vector<float> weights_;         // [rows_at_once, dim]
  std::vector<Index> rows_, columns_;  // counters of the random numbers
  std::vector<std::uint32_t> random_;
};

}  // namespace tesserec::embedding
