// SPDX-License-Identifier: Apache-2.0
// Plans for a machine that is not here: which rank holds which table, and how long a step takes, for 1, 2, 4, 8 nodes.
#include <iostream>

#include <tesserec/core/text.hpp>
#include <tesserec/planning.hpp>

using namespace tesserec;

int main() {
  std::vector<embedding::EmbeddingBagConfig> tables;
  for (const Index rows : {40'000'000, 8'000'000, 2'000'000, 500'000, 60'000, 9'000, 100, 3})
    tables.push_back({.name = concat("rows_", rows),
                      .num_embeddings = rows,
                      .embedding_dim = 64,
                      .feature_names = {concat("f", rows)},
                      .ids_per_bag = {rows > 1'000'000 ? 10.0 : 1.0}});
  planning::Settings settings;
  settings.memory = Index{16} << 30;  // bytes of a rank
  for (const embedding::EmbeddingBagConfig& table : tables)
    settings.tables[table.name].pooling_factor = table.ids_per_bag[0];
  const optim::Settings adagrad{.type = optim::Type::rowwise_adagrad};

  for (const int nodes : {1, 2, 4, 8}) {
    const planning::Topology machine = planning::topology_for(4 * nodes, 4, settings);
    const planning::EmbeddingShardingPlanner planner(machine, settings, adagrad, {}, /*global_batch=*/16384);
    const planning::ProvenPlan proven = planner.plan(tables);
    std::cout << counted(nodes, "node") << ": tables take " << significant(1e3 * proven.estimate.critical_path(), 3)
              << " ms a step, at most " << significant(100 * proven.gap(), 3) << " % from the best\n";
    if (nodes == 2) std::cout << planning::describe(tables, proven.plan);
  }
}
