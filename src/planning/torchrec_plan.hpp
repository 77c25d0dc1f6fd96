// SPDX-License-Identifier: Apache-2.0
/// Reader of TorchRec's ShardingPlan as JSON: json.dumps(dataclasses.asdict(plan), default=str).
#pragma once

#include <span>
#include <utility>

#include <tesserec/core/json.hpp>
#include <tesserec/embedding/settings.hpp>

namespace tesserec::planning {

/// Parses a row and a column. Throws Error unless these are two integers whose sums cannot overflow.
std::pair<Index, Index> row_and_column(const Json& json);

/// Returns whether the JSON is {"plan": {module: {table: ...}}}.
inline bool is_torchrec_plan(const Json& json) { return json.has("plan"); }

/// Returns the highest rank in the plan, plus one.
int torchrec_ranks(const Json& plan);

/// Converts the plan to our format for `ranks` ranks. A table without shards gets the model's size. Throws Error,
/// naming the table.
Json from_torchrec(const Json& plan, std::span<const embedding::EmbeddingBagConfig> tables, int ranks);

}  // namespace tesserec::planning
