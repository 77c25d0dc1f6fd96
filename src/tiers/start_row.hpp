// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include <tesserec/embedding/row_store.hpp>

namespace tesserec::tiers {

/// Numbers of a row that no batch has moved.
class StartRow {
 public:
  /// Takes the columns of the shard, and matrices whose states have their start values.
  StartRow(Range columns, std::span<const embedding::RowMatrix> matrices)
      : columns_(columns), row_(std::size_t(columns.size())) {
    for (const embedding::RowMatrix& matrix : matrices) {
      widths_.push_back(matrix.columns());
      states_.push_back(matrix.is_short() ? 0.0f : matrix.values.data()[0]);
    }
  }
  void set_weights(const embedding::StartValues& weights) { weights_.emplace(weights); }
  /// Writes the row's numbers of a matrix. Weights are 0 before set_weights().
  void write(Index row, std::size_t matrix, float* to) const {
    if (matrix == 0 && weights_)
      (*weights_)({row, row + 1}, columns_, to);
    else
      std::fill_n(to, widths_[matrix], matrix == 0 ? 0.0f : states_[matrix]);
  }

  /// Writes the row's numbers of a matrix to a slot of it, in the matrix's format.
  void write(Index row, std::size_t matrix, const embedding::RowMatrix& to, Index slot) {
    write(row, matrix, row_.data());
    to.put(row_.data(), to.columns(), to.row(slot));
  }

 private:
  Range columns_;
  std::vector<float> row_;     // scratch of write()
  std::vector<Index> widths_;  // [matrix]
  std::vector<float> states_;  // [matrix]; the first is unused
  std::optional<embedding::StartValues> weights_;
};

}  // namespace tesserec::tiers
