// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include <tesserec/planning/plan.hpp>

namespace tesserec::planning {

/// Writes a plan as TorchRec prints it. Each table has its sharding type, compute kernel and ranks. Each shard has its
/// offsets [row, column], sizes [rows, columns] and placement. A data-parallel table has all ranks and no shards.
std::string plan_text(std::span<const embedding::EmbeddingBagConfig> tables, const ShardingPlan& plan, int ranks);

}  // namespace tesserec::planning
