// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/embedding/settings.hpp>

namespace tesserec::embedding {

/// A feature of the data, and how many ids it has.
struct DataFeature {
  std::string name;
  Index ids = 0;
};
/// Fills in what a deck leaves to the data: one table a feature where it has none, features named as their table, rows
/// as many as ids. `data` names them in messages. Error: a feature that the data lack, rows that nobody gives.
std::vector<EmbeddingBagConfig> complete_tables(std::vector<EmbeddingBagConfig> tables,
                                                const std::vector<DataFeature>& features, const std::string& data);

}  // namespace tesserec::embedding
