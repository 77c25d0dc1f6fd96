// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <tesserec/embedding/embedding_bag_collection.hpp>
#include <tesserec/network/features.hpp>

namespace tesserec::network {

EmbeddedFeatures embedded_features(const std::vector<embedding::EmbeddingBagConfig>& tables) {
  std::vector<embedding::EmbeddingBagConfig> whole;  // tables before any was cut in two
  for (const embedding::EmbeddingBagConfig& table : tables)
    if (!table.half || !table.half->remainder) {
      whole.push_back(table);
      whole.back().name = table.whole();
    }
  EmbeddedFeatures features;
  for (const bool pooled : {true, false}) {
    std::vector<EmbeddedFeature>& own = pooled ? features.pooled : features.unpooled;
    const std::vector<std::string> names = embedding::embedding_names(whole, pooled);
    std::size_t first = 0;  // next name; a remainder reuses its quotient's names
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

}  // namespace tesserec::network
