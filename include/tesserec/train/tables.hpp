// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/data/id_shares.hpp>
#include <tesserec/embedding/settings.hpp>
#include <tesserec/network/settings.hpp>
#include <tesserec/planning/settings.hpp>

namespace tesserec::train {

/// Completes the deck's tables from the data: rows, dim, features and bag lengths. Makes one table per feature if the
/// deck has none, then smaller tables as the model's settings say (network::smaller_tables). Throws Error, naming the
/// table, if the data lacks a feature or a weighted table's weights, if neither deck nor data gives the rows, or if a
/// growing table meets a vocabulary. Data without sparse features and tables beyond 64 bits of bytes are Errors, too,
/// besides those of smaller_tables.
std::vector<embedding::EmbeddingBagConfig> resolve_tables(std::vector<embedding::EmbeddingBagConfig> tables,
                                                          const data::SourceInfo& data, const network::Settings& model);

/// Returns the plan completed with the pooling factors, exponents (zipf) and popular rows that the deck leaves to the
/// data.
planning::Settings planner_settings(planning::Settings plan, const std::vector<embedding::EmbeddingBagConfig>& tables,
                                    const data::SourceInfo& data, const data::IdShares& shares = {});

/// Returns, per feature of the data [F], the bound below which its ids must lie. It is the number of ids of the
/// smallest table that reads the feature, data::any_id if all of these grow, or the data's own rows if no table does.
/// Throws the Errors of resolve_tables() about features and weights.
std::vector<Index> id_limits(const std::vector<embedding::EmbeddingBagConfig>& tables, const data::SourceInfo& data);

/// Returns a line that names the features of the data that no table reads, as `title` says, or "".
std::string unread_features(const std::vector<embedding::EmbeddingBagConfig>& tables, const data::SourceInfo& data,
                            const std::string& title);

/// Returns a message for each pair of features that share a table though the data's first file has another value of
/// each for an id. Reads vocabularies. Data without them, and files that cannot be read, give none.
std::vector<std::string> mixed_tables(const std::vector<embedding::EmbeddingBagConfig>& tables,
                                      const data::SourceInfo& data);

}  // namespace tesserec::train
