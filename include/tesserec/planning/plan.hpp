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

/// Rectangle of a table on one rank: row blocks x columns.
struct Shard {
  int rank = 0;
  Range blocks{0, embedding::block_count};
  Range columns;  ///< columns, whose inner borders are multiples of 4
  bool operator==(const Shard&) const = default;
};

/// Forms of a table's exchange. All forms give the same bits.
enum class ExchangeForm {
  pooled,     ///< ids to the owner, sums over subtrees of row blocks back
  rows,       ///< each distinct row to each rank that looks it up, which pools, and sums gradients by row
  two_levels  ///< pooling inside the owners' node, to which ids are sent once; one vector per bag back
};

/// Sharding of one table, as TorchRec's ParameterSharding. A data_parallel table has no shards: every rank holds all of
/// it. The ranks of its shards are those of the first replica group. Each further group has copies at the same places.
struct ParameterSharding {
  ShardingType type = ShardingType::table_wise;
  ComputeKernel kernel = ComputeKernel::fused;
  ExchangeForm form = ExchangeForm::pooled;
  std::vector<Shard> shards;  ///< row cuts x column cuts that cover the table, ordered by columns, then by rows
  int replicas = 1;           ///< replica groups of equally many consecutive ranks; one number for all tables
};

/// Plan of a collection: one entry per table, in the collection's order.
using ShardingPlan = std::vector<ParameterSharding>;

/// Returns the number of replica groups of a plan.
inline int replicas(const ShardingPlan& plan) { return plan.empty() ? 1 : plan.front().replicas; }

/// Cuts a table into `row_cuts` x `column_cuts` shards, as equal as row blocks and multiples of 4 columns allow.
/// owners[c * row_cuts + r] is the rank of row piece r and column piece c. A rank may own several shards.
std::vector<Shard> cut(const embedding::EmbeddingBagConfig& table, Index row_cuts, Index column_cuts,
                       std::span<const int> owners);

/// Returns the largest number of pieces into which a table's columns can be cut.
inline Index max_column_cuts(const embedding::EmbeddingBagConfig& table) { return (table.embedding_dim + 3) / 4; }

/// Throws Error, naming the table, if the plan is invalid. The ranks must divide into its replica groups, and shards
/// lie in the first one. Shards must form a grid that covers the table once, with borders at row blocks and multiples
/// of 4 columns. The sharding type must allow the shards and the exchange form. A table that grows has one copy.
void check_plan(std::span<const embedding::EmbeddingBagConfig> tables, const ShardingPlan& plan, int ranks);

/// Returns whether a two_levels table is exchanged by two levels rather than as pooled. Two levels need several nodes
/// of several ranks, each column slice whole on one node, and a node with several shards.
bool by_two_levels(const ParameterSharding& sharding, int ranks, int ranks_per_node);

const char* name(ShardingType type);
const char* name(ComputeKernel kernel);

/// Returns the optimizer of a table's rows: the table's own one if it has one, `dense` for the dense kernel, else
/// `sparse`.
const optim::Settings& optimizer_of(const embedding::EmbeddingBagConfig& table, ComputeKernel kernel,
                                    const optim::Settings& sparse, const optim::Settings& dense);

/// Throws Error, naming table, kernel and optimizer or format, if the kernel is dense and the optimizer can only update
/// touched rows, or the weights have 16 bits.
void check_kernel(const embedding::EmbeddingBagConfig& table, ComputeKernel kernel, const optim::Settings& optimizer);

/// Returns whether ranks on a device, "cpu" or "cuda", can have a kernel: the cache of disk is in the host's memory,
/// that of host_cached in a GPU's.
bool has_kernel(const std::string& device, ComputeKernel kernel);
/// Throws Error, naming the table and what to set, unless has_kernel().
void require_kernel(const std::string& table, const std::string& device, ComputeKernel kernel);

/// Returns whether both kernels update a table alike: they have one optimizer, which leaves rows without a gradient
/// unchanged.
bool kernels_agree(const optim::Settings& fused, const optim::Settings& dense);

/// Returns the bytes of weights and optimizer states of `rows` rows, by default of all rows.
Index table_bytes(const embedding::EmbeddingBagConfig& table, const optim::Settings& optimizer,
                  std::optional<Index> rows = {});

}  // namespace tesserec::planning
