// SPDX-License-Identifier: Apache-2.0
/// Checks of a batch to score, before any row is read.
#pragma once

#include <string>

#include <tesserec/embedding/settings.hpp>
#include <tesserec/scoring/scoring_context.hpp>

namespace tesserec::scoring {

/// Throws Error if the batch lacks its dense features, `columns` for each sample, or one is not finite.
void check_dense(const ScoringBatch& batch, Index columns);
/// Throws Error if the bags of feature number `feature`, named `name`, have offsets that decrease, ids outside the
/// table, or weights that are missing or not finite.
void check_bags(const ScoringBatch& batch, std::size_t feature, const embedding::EmbeddingBagConfig& table,
                const std::string& name);

}  // namespace tesserec::scoring
