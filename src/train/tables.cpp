// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/core/error.hpp>
#include <tesserec/train/tables.hpp>

namespace tesserec::train {
namespace {

std::size_t feature_index(const data::SourceInfo& data, const std::string& feature, const std::string& table) {
  const auto found = std::find(data.features.begin(), data.features.end(), feature);
  if (found == data.features.end()) {
    std::string known;
    for (const std::string& name : data.features) known += (known.empty() ? "" : ", ") + name;
    fail("table ", table, ": the data (", data.description, ") has no feature \"", feature, "\"; it has ", known);
  }
  return static_cast<std::size_t>(found - data.features.begin());
}

}  // namespace

std::vector<embedding::EmbeddingBagConfig> resolve_tables(std::vector<embedding::EmbeddingBagConfig> tables,
                                                          const data::SourceInfo& data, Index embedding_dim) {
  if (tables.empty())
    for (const std::string& feature : data.features) tables.emplace_back().name = feature;
  for (embedding::EmbeddingBagConfig& table : tables) {
    if (table.feature_names.empty()) table.feature_names = {table.name};
    if (table.embedding_dim == 0) table.embedding_dim = embedding_dim;
    Index rows = 0;
    for (const std::string& feature : table.feature_names)
      rows = std::max(rows, data.rows[feature_index(data, feature, table.name)]);
    if (table.num_embeddings == 0) table.num_embeddings = rows;
    if (table.num_embeddings <= 0)
      fail("table ", table.name, ": neither the deck nor the data says how many rows it has; set table.", table.name,
           ".rows");
  }
  return tables;
}

std::vector<Index> id_limits(const std::vector<embedding::EmbeddingBagConfig>& tables, const data::SourceInfo& data) {
  std::vector<Index> limits(data.features.size());
  for (const embedding::EmbeddingBagConfig& table : tables)
    for (const std::string& feature : table.feature_names) {
      Index& limit = limits[feature_index(data, feature, table.name)];
      limit = limit == 0 ? table.num_embeddings : std::min(limit, table.num_embeddings);
    }
  return limits;
}

}  // namespace tesserec::train
