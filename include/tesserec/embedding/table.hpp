// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/lanes.hpp>
#include <tesserec/embedding/moved_rows.hpp>
#include <tesserec/embedding/pooling.hpp>
#include <tesserec/embedding/row_store.hpp>

namespace tesserec::embedding {

/// Shard of one logical table on one rank: its configuration and the store of its rows.
class EmbeddingTable {
 public:
  /// Allocates the rows: by `make`, or in memory for the dense kernel. Throws Error as `make` or memory_rows does, and
  /// for weights of 16 bits that the dense kernel would update.
  EmbeddingTable(const Exec& exec, const TableShard& shard, const MakeRowStore& make = memory_rows);

  const EmbeddingBagConfig& config() const { return shard_.config; }
  ComputeKernel kernel() const { return shard_.kernel; }
  const optim::Settings& optimizer() const { return shard_.optimizer; }
  BlockOf block_of() const { return config().block_of(); }
  Range blocks() const { return shard_.blocks; }
  Range rows() const { return shard_.rows(); }
  Range columns() const { return shard_.columns; }
  /// Returns the number of columns held here.
  Index dim() const { return shard_.dim(); }
  /// Returns whether a row is updated by sums over columns that other shards hold.
  bool shares_rows() const { return optim::row_rounds(optimizer().type) > 0 && dim() < config().embedding_dim; }

  RowStore& store() const { return *store_; }
  /// Returns the weights of a table in fp32 (RowStore::weights).
  const PlacedMatrix<float>& weights() const { return store_->weights(); }
  /// Returns the gradients of all rows for the dense kernel, which are zero between steps. Empty for the fused kernel.
  const PlacedMatrix<float>& dense_gradient() const { return dense_gradient_; }

  /// Begins to record which rows training moves.
  void track_moves() { moved_.emplace(rows(), kernel() == ComputeKernel::dense); }
  /// Returns the rows moved since track_moves() or MovedRows::clear(); null without track_moves().
  MovedRows* moved() { return moved_ ? &*moved_ : nullptr; }

  /// Gives the rows their start values by (seed, table, row, column). `table` is the index of the table in its
  /// collection.
  void initialize(const Exec& exec, std::uint64_t seed, Index table);
  /// Returns the random numbers by which step `step` rounds weights of 16 bits: half c % 2 of word c % 8 / 2 of
  /// quad(row, c / 8) for column c of the logical row, a function of initialize()'s seed and table.
  Random rounding(Index step) const;

 private:
  TableShard shard_;
  std::array<std::uint32_t, 2> rounding_key_{};
  std::unique_ptr<RowStore> store_;
  PlacedMatrix<float> dense_gradient_;
  std::optional<MovedRows> moved_;
};

/// Bags of a shard in one global batch: runs of samples in sample order, and in each run one Bags per feature.
using ShardBags = std::vector<std::vector<Bags>>;

}  // namespace tesserec::embedding
