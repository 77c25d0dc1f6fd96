// SPDX-License-Identifier: Apache-2.0
/// TorchRec's ShardingPlan as JSON: json.dumps(dataclasses.asdict(plan), default=str).
#pragma once

#include <span>
#include <utility>

#include <tesserec/core/json.hpp>
#include <tesserec/embedding/settings.hpp>

namespace tesserec::planning {

/// A row and a column. Error: sums of such numbers would overflow.
std::pair<Index, Index> row_and_column(const Json& json);

/// {"plan": {module: {table: ...}}}
inline bool is_torchrec_plan(const Json& json) { return json.has("plan"); }

/// One more than the highest rank that it names.
int torchrec_ranks(const Json& plan);

/// Converts the plan for so many ranks; a table without shards takes the model's size. Errors name the table.
Json from_torchrec(const Json& plan, std::span<const embedding::EmbeddingBagConfig> tables, int ranks);

}  // namespace tesserec::planning
