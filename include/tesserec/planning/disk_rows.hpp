// SPDX-License-Identifier: Apache-2.0
/// Checks of rows on disk that plans and training share.
#pragma once

#include <tesserec/planning/plan.hpp>

namespace tesserec::planning {

/// Throws Error if a table has kernel disk and the rows of a shard, with their optimizer states, are longer than
/// embedding::longest_disk_row.
void check_disk_rows(const embedding::EmbeddingBagConfig& table, const ParameterSharding& sharding,
                     const optim::Settings& optimizer);

}  // namespace tesserec::planning
