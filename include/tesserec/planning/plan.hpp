// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tesserec/embedding/block_of.hpp>
#include <tesserec/embedding/settings.hpp>
#include <tesserec/planning/settings.hpp>

namespace tesserec::planning {

/// A rectangle of a table on a rank: row blocks by columns.
struct Shard {
  int rank = 0;
  Range blocks{0, embedding::block_count};
  Range columns;  ///< inner borders are multiples of 4
  bool operator==(const Shard&) const = default;
};

/// Forms in which a table's vectors travel, with the same bits.
enum class ExchangeForm {
  pooled,     ///< ids to the owner, sums of subtrees of row blocks back
  rows,       ///< each row once to each rank that asks for it, pooled there; gradients summed there a row
  two_levels  ///< pooled inside the owners' node, to which ids go once and from which one vector a bag comes
};

/// Cut of one table; TorchRec's ParameterSharding. data_parallel has no shards: every rank holds the table.
struct ParameterSharding {
  ShardingType type = ShardingType::table_wise;
  ComputeKernel kernel = ComputeKernel::fused;
  ExchangeForm form = ExchangeForm::pooled;
  std::vector<Shard> shards;  ///< row cuts x column cuts: by columns, then by rows; together the table
};

/// The plan of a collection: one entry a table, in the collection's order.
using ShardingPlan = std::vector<ParameterSharding>;

/// Shards of `row_cuts` x `column_cuts` as equal as row blocks and multiples of 4 columns allow. owners[c *
/// row_cuts + r] holds piece r of the rows and piece c of the columns; a rank may own several.
std::vector<Shard> cut(const embedding::EmbeddingBagConfig& table, Index row_cuts, Index column_cuts,
                       std::span<const int> owners);

/// Most pieces that a table's columns can be cut into.
inline Index most_column_cuts(const embedding::EmbeddingBagConfig& table) { return (table.embedding_dim + 3) / 4; }

/// Errors, naming the table: a rank outside [0, ranks); shards that leave out or repeat a part of the table, are no
/// grid, or have borders off row blocks or multiples of 4 columns; shards or two levels that the type does not allow.
void check_plan(std::span<const embedding::EmbeddingBagConfig> tables, const ShardingPlan& plan, int ranks);

/// Returns whether a two_levels table goes so, not pooled: each slice of columns is whole on one of several nodes.
bool by_two_levels(const ParameterSharding& sharding, int ranks, int ranks_per_node);

const char* name(ShardingType type);
const char* name(ComputeKernel kernel);

/// Returns the optimizer of a table's rows: its own, or `dense` for that kernel, else `sparse`.
const optim::Settings& optimizer_of(const embedding::EmbeddingBagConfig& table, ComputeKernel kernel,
                                    const optim::Settings& sparse, const optim::Settings& dense);

/// Error, naming table, kernel and optimizer: the dense kernel with an optimizer that moves touched rows alone.
void check_kernel(const embedding::EmbeddingBagConfig& table, ComputeKernel kernel, const optim::Settings& optimizer);

/// Returns whether both kernels move a table alike: by one optimizer, which keeps a row without a gradient.
bool kernels_agree(const optim::Settings& fused, const optim::Settings& dense);

/// Returns the bytes of weights and optimizer state of so many rows, by default of all.
Index table_bytes(const embedding::EmbeddingBagConfig& table, const optim::Settings& optimizer,
                  std::optional<Index> rows = {});

}  // namespace tesserec::planning
