// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <tesserec/data/id_shares.hpp>
#include <tesserec/embedding/settings.hpp>
#include <tesserec/network/settings.hpp>
#include <tesserec/planning/settings.hpp>

namespace tesserec::train {

/// The deck's tables with everything filled in from the data: rows, dim, features; one table a feature when the deck
/// has none; made smaller as the model's settings say (network::smaller_tables). Errors name the table: a feature that
/// the data does not have, or has no weights for where the table is weighted; rows that nobody gives; smaller_tables'
/// own.
std::vector<embedding::EmbeddingBagConfig> resolve_tables(std::vector<embedding::EmbeddingBagConfig> tables,
                                                          const data::SourceInfo& data, const network::Settings& model);

/// Returns the plan with the pooling factors, exponents (zipf) and popular rows that the deck leaves to the data.
planning::Settings planner_settings(planning::Settings plan, const std::vector<embedding::EmbeddingBagConfig>& tables,
                                    const data::SourceInfo& data, const data::IdShares& shares = {});

/// For each feature of the data, rows of the smallest table that reads it or the data's own where no table
/// does: ids must lie below. Errors about features and weights as above.
std::vector<Index> id_limits(const std::vector<embedding::EmbeddingBagConfig>& tables, const data::SourceInfo& data);

}  // namespace tesserec::train
