// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include <tesserec/embedding/row_store.hpp>

namespace tesserec::tiers {

/// Row whose numbers begin.
struct NewRow {
  Index slot, id;
};

/// Numbers of a new row by (seed, table, id): the start values that a table of consecutive rows has in row `id`.
class GrowingStart {
 public:
  static constexpr std::size_t at_once = 32;  // rows that are drawn together

  /// Takes the columns of the shard, and the start value of each state.
  GrowingStart(Range columns, std::vector<float> states) : columns_(columns), states_(std::move(states)) {}
  void set_weights(const embedding::StartValues& weights) { weights_.emplace(weights); }

  /// Writes weights and states of rows. Weights are 0 before set_weights(). Prefetches all slots but the first at_once.
  void write(const embedding::RowStore& store, std::span<const NewRow> rows) const;
  /// Writes weights of 0, and states.
  void write_zeros(const embedding::RowStore& store, Index slot) const {
    std::fill_n(weights(store, slot), columns_.size(), 0.0f);
    write_states(store, slot);
  }

 private:
  float* weights(const embedding::RowStore& store, Index slot) const {
    return store.weights().data() + slot * columns_.size();
  }
  void write_states(const embedding::RowStore& store, Index slot) const;

  Range columns_;
  std::vector<float> states_;
  std::optional<embedding::StartValues> weights_;
};

/// Start of rows in the slots of a store. Threads may start different rows at once.
class StartRows {
 public:
  StartRows(const GrowingStart& start, const embedding::RowStore& store) : start_(start), store_(store) {}

  /// Prefetches the slot of one of the rows that will start together, unless the start does. `before`: rows before it.
  [[gnu::always_inline]] void prefetch(Index slot, std::size_t before) const {
    if (before < GrowingStart::at_once) store_.prefetch(slot);
  }
  void operator()(std::span<const NewRow> rows) const { start_.write(store_, rows); }

 private:
  const GrowingStart& start_;
  const embedding::RowStore& store_;
};

}  // namespace tesserec::tiers
