// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/embedding/complete_tables.hpp>

namespace tesserec::embedding {

std::vector<EmbeddingBagConfig> complete_tables(std::vector<EmbeddingBagConfig> tables,
                                                const std::vector<DataFeature>& features, const std::string& data) {
  if (tables.empty())
    for (const DataFeature& feature : features) tables.emplace_back().name = feature.name;
  for (EmbeddingBagConfig& table : tables) {
    if (table.feature_names.empty()) table.feature_names = {table.name};
    Index ids = 0;
    for (const std::string& name : table.feature_names) {
      const auto found = std::ranges::find(features, name, &DataFeature::name);
      if (found == features.end())
        fail("table ", table.name, ": the data (", data, ") has no feature \"", name, "\"; it has ",
             join(features, ", ", &DataFeature::name));
      ids = std::max(ids, found->ids);
    }
    if (table.num_embeddings == 0 && !table.grows()) table.num_embeddings = ids;
    if (table.num_embeddings <= 0 && table.grows())
      fail("table ", table.name, " grows, so its rows are its capacity, which must be given; set table.", table.name,
           ".rows");
    if (table.num_embeddings <= 0)
      fail("table ", table.name, ": neither the deck nor the data says how many rows it has; set table.", table.name,
           ".rows");
  }
  return tables;
}

}  // namespace tesserec::embedding
