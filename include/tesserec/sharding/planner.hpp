// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <tesserec/sharding/plan.hpp>

namespace tesserec::sharding {

/// A plan that obeys the deck's constraints and chooses the rest by three rules, the same on every rank:
///   a table whose touched rows are cheaper to gather than its bags are to exchange is data_parallel;
///   a table larger than a rank's fair share of all bytes is row_wise over all ranks;
///   the others are table_wise, the largest first to the rank with the fewest bytes.
/// Errors name the table: a rank outside [0, ranks), more than one rank for table_wise, ranks for data_parallel.
ShardingPlan make_plan(std::span<const embedding::EmbeddingBagConfig> tables, const Settings& settings,
                       const optim::Settings& sparse_optimizer, int ranks, Index global_batch);

/// The plan as a table for people: table, rows, dim, type, kernel, bytes, shards.
std::string describe(std::span<const embedding::EmbeddingBagConfig> tables, const ShardingPlan& plan);

}  // namespace tesserec::sharding
