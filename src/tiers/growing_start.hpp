// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include <tesserec/embedding/row_store.hpp>

namespace tesserec::tiers {

/// Numbers of a new row by (seed, table, id): the start values that a table of consecutive rows has in row `id`.
class GrowingStart {
 public:
  /// Takes the columns of the shard, and the start value of each state.
  GrowingStart(Range columns, std::vector<float> states) : columns_(columns), states_(std::move(states)) {}
  void set_weights(const embedding::StartValues& weights) { weights_.emplace(weights); }

  /// Writes weights and states of a slot. Weights are 0 before set_weights().
  void write(std::span<const embedding::RowMatrix> matrices, Index slot, Index id) const {
    write_zeros(matrices, slot);
    float* const to = matrices[0].values.data() + slot * columns_.size();
    if (weights_ && weights_->ones())
      std::fill_n(to, columns_.size(), 1.0f);
    else if (weights_)
      draw(id, to);
  }
  /// Writes weights of 0, and states.
  void write_zeros(std::span<const embedding::RowMatrix> matrices, Index slot) const {
    for (std::size_t m = 0; m < matrices.size(); ++m) {
      const Index n = matrices[m].values.columns();
      std::fill_n(matrices[m].values.data() + slot * n, n, m == 0 ? 0.0f : states_[m - 1]);
    }
  }

 private:
  void draw(Index id, float* to) const;

  Range columns_;
  std::vector<float> states_;
  std::optional<embedding::StartValues> weights_;
};

}  // namespace tesserec::tiers
