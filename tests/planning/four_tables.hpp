// SPDX-License-Identifier: Apache-2.0
/// Two large and two small tables, and a planner for them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tesserec/planning/planner.hpp>

namespace planned {

using namespace tesserec;

inline std::vector<embedding::EmbeddingBagConfig> four_tables() {
  std::vector<embedding::EmbeddingBagConfig> tables;
  for (const auto& [name, rows] :
       {std::pair<std::string, Index>{"large_0", 4096}, {"large_1", 4096}, {"small_0", 1024}, {"small_1", 1024}}) {
    embedding::EmbeddingBagConfig table;
    table.name = name;
    table.feature_names = {name};
    table.num_embeddings = rows;
    table.embedding_dim = 64;
    tables.push_back(table);
  }
  return tables;
}

struct Given {
  planning::Settings settings;
  int ranks = 2, ranks_per_node = 0;
  optim::Settings optimizer;
  Index batch = 512;
  planning::EmbeddingShardingPlanner planner() const {
    planning::Settings planned = settings;
    if (planned.memory == 0) planned.memory = Index{1} << 40;
    return {planning::topology_for(ranks, ranks_per_node, planned), planned, optimizer, optimizer, batch};
  }
  planning::ShardingPlan plan() const { return planner().plan(four_tables()).plan; }
};

}  // namespace planned
