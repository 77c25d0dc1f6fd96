// SPDX-License-Identifier: Apache-2.0
// tesserec plan: who would hold what, how long a step would take, and how far that can be from the best.

#include "command.hpp"
#include "known_data.hpp"
#include "table_list.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/gpu.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/model/dense_cost.hpp>
#include <tesserec/model/sharded_model.hpp>
#include <tesserec/planning/plan_file.hpp>
#include <tesserec/train/tables.hpp>

namespace tesserec::app {
namespace {

/// The deck's tables as training would have them.
std::vector<embedding::EmbeddingBagConfig> tables_of(deck::Deck& deck, const std::optional<data::SourceInfo>& info) {
  std::vector<embedding::EmbeddingBagConfig> tables = known_tables(deck, info);
  if (info) deck.plan = train::planner_settings(deck.plan, tables, *info);
  if (tables.empty())
    fail(deck.file, ": neither the data nor [[table]] blocks say which tables there are; give data.train or --tables");
  for (const embedding::EmbeddingBagConfig& table : tables)
    if (table.num_embeddings == 0)
      fail("table ", table.name, ": the data do not exist yet, so table.", table.name, ".rows must be given");
  return tables;
}

/// Seconds of a step outside the tables.
double dense_seconds(const deck::Deck& deck, const std::vector<embedding::EmbeddingBagConfig>& tables,
                     Index dense_features, const planning::Topology& topology) {
  return model::dense_seconds(model::Network(deck.model, dense_features, model::embedded_features(tables)),
                              Lanes(deck.train.lane_count(), deck.train.accumulate), topology,
                              deck.train.step_samples());
}

}  // namespace

int plan(const Invocation& invocation, const comm::Communicator& comm) {
  Invocation asked = invocation;
  if (invocation.has("--device")) asked.overrides.push_back("plan.device=" + invocation.options.at("--device"));
  deck::Deck deck = invocation.deck.empty() ? bare_deck(asked.overrides) : asked.read_deck();
  std::vector<embedding::EmbeddingBagConfig> tables;
  std::optional<data::SourceInfo> data;
  if (invocation.has("--tables"))
    tables = read_table_list(invocation.options.at("--tables"), deck);
  else
    tables = tables_of(deck, data = known_data(deck));
  deck.tables = tables;
  deck.plan.exchange = sharding::bytes_of(deck.model.exchange_forward, deck.model.exchange_backward);
  if (!invocation.deck.empty() && !invocation.has("--tables")) deck::check_deck(deck);

  const int ranks = count_of(invocation, "--ranks"), inside = count_of(invocation, "--ranks-per-node");
  if (inside > 0) deck.plan.ranks_per_node = inside;
  const bool elsewhere = ranks > 0 || (planning::plan_device(deck.plan) == "cuda" && !built_for_gpus());
  const planning::Topology topology =
      elsewhere ? planning::topology_for(ranks > 0 ? ranks : comm.size(), deck.plan.ranks_per_node, deck.plan)
                : planning::topology_of(comm, deck.plan);
  const planning::EmbeddingShardingPlanner planner(topology, deck.plan, deck.optimizer.sparse, deck.optimizer.dense,
                                                   deck.train.batch_size);
  planning::ProvenPlan proven;
  if (invocation.has("--evaluate"))
    proven = planner.evaluate(tables, planning::read_plan(invocation.options.at("--evaluate"), tables, topology.ranks,
                                                          planning::Borders::nearest));
  else if (!deck.plan.file.empty()) {
    proven = planner.given_plan(tables);
  } else {
    proven = planner.plan(tables);
  }
  const double dense =
      data && data->dense_features > 0 ? dense_seconds(deck, tables, data->dense_features, topology) : 0;
  if (invocation.json) {
    print(comm, planning::plan_json(tables, proven, topology, deck.train.batch_size, dense));
    return 0;
  }
  const double critical_path = proven.estimate.critical_path();
  print(comm, concat(counted(tables.size(), "table"), " on ", counted(topology.ranks, topology.device + " rank"), ", ",
                     topology.ranks_per_node, " a node, batch ", deck.train.batch_size, ", ", topology.memory,
                     " bytes a rank",
                     topology.taken > 0 ? concat(", of which CUDA, cuBLASLt and NCCL take ", topology.taken) : "", "\n",
                     planning::describe(tables, proven)));
  if (dense > 0)
    print(comm,
          concat("predicted step ", significant(critical_path + dense, 6), " s: tables ", significant(critical_path, 6),
                 " s, all else ", significant(dense, 6), " s; reading batches not counted\n"));
  return 0;
}

}  // namespace tesserec::app
