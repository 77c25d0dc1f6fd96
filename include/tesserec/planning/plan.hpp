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

/// How a table's vectors travel. The bits are the same.
enum class ExchangeForm {
  pooled,     ///< ids to the owner, sums of subtrees of row blocks back
  rows,       ///< each row once to each rank that asks for it, pooled there; gradients summed there a row
  two_levels  ///< pooled inside the owners' node, to which ids go once and from which one vector a bag comes
};

/// How one table is cut; TorchRec's ParameterSharding. data_parallel has no shards: every rank holds the
/// table.
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

/// Errors, naming the table: a rank outside [0, ranks), shards that leave out or repeat a part of the table
/// or are no grid, borders off row blocks or multiples of 4 columns, shards where the type allows none or too
/// many, two levels where it has none.
void check_plan(std::span<const embedding::EmbeddingBagConfig> tables, const ShardingPlan& plan, int ranks);

/// Whether a table of ExchangeForm::two_levels goes so: it is cut inside nodes, every slice of columns with all its
/// rows on one of several nodes of several ranks. Else it goes as a pooled one.
bool by_two_levels(const ParameterSharding& sharding, int ranks, int ranks_per_node);

const char* name(ShardingType type);
const char* name(ComputeKernel kernel);

/// What moves a table's rows: its own optimizer, or `dense` for that kernel, else `sparse`.
const optim::Settings& optimizer_of(const embedding::EmbeddingBagConfig& table, ComputeKernel kernel,
                                    const optim::Settings& sparse, const optim::Settings& dense);

/// Error, naming table, kernel and optimizer: the dense kernel with an optimizer that moves touched rows alone.
void check_kernel(const embedding::EmbeddingBagConfig& table, ComputeKernel kernel, const optim::Settings& optimizer);

/// Whether both kernels move a table alike: by one optimizer, which leaves a row without a gradient where it is.
bool kernels_agree(const optim::Settings& fused, const optim::Settings& dense);

/// Returns the bytes of weights and optimizer state of so many rows, by default of all.
Index table_bytes(const embedding::EmbeddingBagConfig& table, const optim::Settings& optimizer,
                  std::optional<Index> rows = {});

}  // namespace tesserec::planning
