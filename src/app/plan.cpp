// SPDX-License-Identifier: Apache-2.0
// tesserec plan: who would hold what, how long a step would take, and how far that can be from the best.
#include <charconv>

#include <tesserec/core/error.hpp>
#include <tesserec/sharding/plan_file.hpp>
#include <tesserec/train/tables.hpp>

#include "command.hpp"
#include "known_data.hpp"
#include "table_list.hpp"

namespace tesserec::app {
namespace {

int count_of(const Invocation& invocation, const std::string& option) {
  const auto found = invocation.options.find(option);
  if (found == invocation.options.end()) return 0;
  const std::string& text = found->second;
  int value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || value < 1 || value > 1 << 20)
    fail(option, " must be an integer, 1 to ", 1 << 20, ", but is \"", text, "\"");
  return value;
}

/// The deck's tables as training would have them.
std::vector<embedding::EmbeddingBagConfig> tables_of(deck::Deck& deck) {
  if (const auto info = known_data(deck)) {
    auto tables = train::resolve_tables(deck.tables, *info, deck.model.embedding_dim);
    deck.plan = train::planner_settings(deck.plan, tables, *info);
    return tables;
  }
  if (deck.tables.empty())
    fail(deck.file, ": neither the data nor [[table]] blocks say which tables there are; give data.train or --tables");
  std::vector<embedding::EmbeddingBagConfig> tables = deck.tables;
  for (embedding::EmbeddingBagConfig& table : tables) {
    if (table.feature_names.empty()) table.feature_names = {table.name};
    if (table.embedding_dim == 0) table.embedding_dim = deck.model.embedding_dim;
    if (table.num_embeddings == 0)
      fail("table ", table.name, ": the data do not exist yet, so table.", table.name, ".rows must be given");
  }
  return tables;
}

}  // namespace

int plan(const Invocation& invocation, const comm::Communicator& comm) {
  deck::Deck deck = invocation.deck.empty() ? bare_deck(invocation.overrides) : invocation.read_deck();
  std::vector<embedding::EmbeddingBagConfig> tables;
  if (invocation.has("--tables"))
    tables = read_table_list(invocation.options.at("--tables"), deck);
  else
    tables = tables_of(deck);
  deck.tables = tables;
  if (!invocation.deck.empty() && !invocation.has("--tables")) deck::check_deck(deck);

  const int ranks = count_of(invocation, "--ranks"), inside = count_of(invocation, "--ranks-per-node");
  if (inside > 0) deck.plan.ranks_per_node = inside;
  const sharding::Topology topology = ranks > 0 ? sharding::topology_for(ranks, deck.plan.ranks_per_node, deck.plan)
                                                : sharding::topology_of(comm, deck.plan);
  const sharding::EmbeddingShardingPlanner planner(topology, deck.plan, deck.optimizer.sparse, deck.optimizer.dense,
                                                   deck.train.batch_size);
  sharding::ProvenPlan proven;
  if (invocation.has("--evaluate"))
    proven = planner.evaluate(tables, sharding::read_plan(invocation.options.at("--evaluate"), tables, topology.ranks,
                                                          sharding::Borders::nearest));
  else if (!deck.plan.file.empty()) {
    proven = planner.evaluate(tables, sharding::read_plan(deck.plan.file, tables, topology.ranks));
    planner.model().require_fits(tables, proven.plan);
  } else {
    proven = planner.plan(tables);
  }
  if (invocation.json) {
    print(comm, sharding::plan_json(tables, proven, topology, deck.train.batch_size));
    return 0;
  }
  print(comm, std::to_string(tables.size()) + (tables.size() == 1 ? " table" : " tables") + " on " +
                  std::to_string(topology.ranks) + " " + topology.device + (topology.ranks == 1 ? " rank" : " ranks") +
                  ", " + std::to_string(topology.ranks_per_node) + " a node, batch " +
                  std::to_string(deck.train.batch_size) + ", " + std::to_string(topology.memory) +
                  " bytes a rank\n" + sharding::describe(tables, proven));
  return 0;
}

}  // namespace tesserec::app
