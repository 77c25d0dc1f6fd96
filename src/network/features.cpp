// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/embedding/embedding_bag_collection.hpp>
#include <tesserec/network/features.hpp>

namespace tesserec::network {

EmbeddedFeatures embedded_features(const std::vector<embedding::EmbeddingBagConfig>& tables) {
  std::vector<embedding::EmbeddingBagConfig> whole;  // as before any was cut
  for (const embedding::EmbeddingBagConfig& table : tables)
    if (!table.half || !table.half->remainder) {
      whole.push_back(table);
      whole.back().name = table.whole();
    }
  EmbeddedFeatures features;
  for (const bool pooled : {true, false}) {
    std::vector<EmbeddedFeature>& own = pooled ? features.pooled : features.unpooled;
    const std::vector<std::string> names = embedding::embedding_names(whole, pooled);
    std::size_t first = 0;  // feature of the whole table
    for (const embedding::EmbeddingBagConfig& table : tables) {
      if (pooled && table.half && table.half->remainder) first -= table.feature_names.size();
      for (std::size_t f = 0; f < table.feature_names.size(); ++f) {
        if (table.pools(f) != pooled) continue;
        EmbeddedFeature& feature = own.emplace_back();
        feature.name = names[first++];
        feature.dim = table.embedding_dim;
        if (!table.ids_per_bag.empty()) feature.ids = table.ids_per_bag[f];
        if (!table.half && table.projection == 0) continue;
        feature.makes = std::exchange(feature.name, table.feature_names[f] + "@" + table.name);
        feature.projection = table.projection;
        if (table.half) feature.operation = table.half->operation;
      }
    }
  }
  return features;
}

std::vector<embedding::EmbeddingBagConfig> complete_tables(std::vector<embedding::EmbeddingBagConfig> tables,
                                                           const std::vector<DataFeature>& features,
                                                           const std::string& data) {
  if (tables.empty())
    for (const DataFeature& feature : features) tables.emplace_back().name = feature.name;
  for (embedding::EmbeddingBagConfig& table : tables) {
    if (table.feature_names.empty()) table.feature_names = {table.name};
    Index ids = 0;
    for (const std::string& name : table.feature_names) {
      const auto found = std::ranges::find(features, name, &DataFeature::name);
      if (found == features.end())
        fail("table ", table.name, ": the data (", data, ") has no feature \"", name, "\"; it has ",
             join(features, ", ", &DataFeature::name));
      ids = std::max(ids, found->ids);
    }
    if (table.num_embeddings == 0) table.num_embeddings = ids;
    if (table.num_embeddings <= 0)
      fail("table ", table.name, ": neither the deck nor the data says how many rows it has; set table.", table.name,
           ".rows");
  }
  return tables;
}

}  // namespace tesserec::network
