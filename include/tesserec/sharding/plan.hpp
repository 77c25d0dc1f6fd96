// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/embedding/row_blocks.hpp>
#include <tesserec/embedding/settings.hpp>
#include <tesserec/sharding/settings.hpp>

namespace tesserec::sharding {

/// Row blocks of a table on a rank.
struct Shard {
  int rank = 0;
  Range blocks{0, embedding::RowBlocks::count};
};

/// How one table is cut; TorchRec's ParameterSharding. data_parallel has no shards: every rank holds the table.
struct ParameterSharding {
  ShardingType type = ShardingType::table_wise;
  ComputeKernel kernel = ComputeKernel::fused;
  std::vector<Shard> shards;  ///< in row order, together all blocks
};

/// The plan of a collection: one entry a table, in the collection's order.
using ShardingPlan = std::vector<ParameterSharding>;

const char* name(ShardingType type);
const char* name(ComputeKernel kernel);

/// Bytes of weights and optimizer state of a table's rows.
Index table_bytes(const embedding::EmbeddingBagConfig& table, const optim::Settings& optimizer, Index rows);

}  // namespace tesserec::sharding
