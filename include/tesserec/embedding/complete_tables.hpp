// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/embedding/settings.hpp>

namespace tesserec::embedding {

/// Feature of the data, with its number of ids.
struct DataFeature {
  std::string name;
  Index ids = 0;
};
/// Fills in what a deck leaves to the data. Without tables, each feature gets one. A table without features reads the
/// feature of its name, and a table without rows has the ids of its largest feature. `data` names the data in messages.
/// Throws Error if the data lack a feature, or if neither deck nor data give the rows.
std::vector<EmbeddingBagConfig> complete_tables(std::vector<EmbeddingBagConfig> tables,
                                                const std::vector<DataFeature>& features, const std::string& data);

}  // namespace tesserec::embedding
