// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include <tesserec/embedding/row_store.hpp>

namespace tesserec::tiers {

/// Numbers of a row that no batch has moved.
class StartRow {
 public:
  explicit StartRow(const embedding::TableShard& shard)
      : columns_(shard.columns), state_(embedding::state_start(shard.optimizer)) {}
  void set_weights(const embedding::StartValues& weights) { weights_.emplace(weights); }

  /// Writes the row's `n` numbers of a matrix. Weights are 0 before set_weights().
  void write(Index row, std::size_t matrix, Index n, float* to) const {
    if (matrix == 0 && weights_)
      (*weights_)({row, row + 1}, columns_, to);
    else
      std::fill_n(to, n, matrix == 0 ? 0.0f : state_);
  }
  /// Writes the row's numbers of a matrix to host memory, in the format of `as`. `scratch`: the caller's.
  void write(Index row, std::size_t matrix, const embedding::RowMatrix& as, std::byte* to,
             std::vector<float>& scratch) const {
    scratch.resize(std::max(std::ssize(scratch), as.columns()));
    write(row, matrix, as.columns(), scratch.data());
    as.put(scratch.data(), as.columns(), to);
  }

 private:
  Range columns_;
  float state_;  // start value of all states
  std::optional<embedding::StartValues> weights_;
};

}  // namespace tesserec::tiers
