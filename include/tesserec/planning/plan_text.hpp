// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include <tesserec/planning/plan.hpp>

namespace tesserec::planning {

/// A plan as TorchRec prints one: of each table sharding type, compute kernel and ranks; of each shard its
/// offsets [row, column], sizes [rows, columns] and placement. A data-parallel table has all ranks and no
/// shards.
std::string plan_text(std::span<const embedding::EmbeddingBagConfig> tables, const ShardingPlan& plan, int ranks);

}  // namespace tesserec::planning
