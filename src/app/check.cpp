// SPDX-License-Identifier: Apache-2.0
// tesserec check: is the deck valid, and what model does it describe? What only the data know is left open.
#include <optional>

#include "command.hpp"
#include "known_data.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/lanes.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/planning/plan_file.hpp>

namespace tesserec::app {
namespace {

/// The model as far as the deck alone tells; 0 = the data decide.
struct Summary {
  std::vector<Index> bottom;  ///< widths, the input first
  std::vector<Index> top;     ///< widths, the interaction first
  Index features = 0;
  Index tables = 0;
  Index rows = 0;  ///< of all tables
  Index mlp_parameters = 0, mlp_bytes = 0;
  Index table_parameters = 0, table_bytes = 0;
  int plan_ranks = 0;                             ///< of plan.file
  std::vector<embedding::ComputeKernel> kernels;  ///< [table]
};

/// Bytes include optimizer state.
Index bytes_of(const deck::Deck& deck, const embedding::EmbeddingBagConfig& table, embedding::ComputeKernel kernel) {
  const optim::Settings& moves = planning::optimizer_of(table, kernel, deck.optimizer.sparse, deck.optimizer.dense);
  planning::check_kernel(table, kernel, moves);
  return planning::table_bytes(table, moves, table.num_embeddings);
}

Index mlp_parameters(const std::vector<Index>& widths) {
  Index sum = 0;
  for (std::size_t i = 1; i < widths.size(); ++i) {
    if (widths[i - 1] == 0) return 0;
    sum += (widths[i - 1] + 1) * widths[i];
  }
  return sum;
}

/// Vectors x_0 (bottom MLP), x_1 ... x_F: dot gives x_0 and the products of all pairs; cat all of them.
Index interaction_width(const model::Settings& model, Index features, Index pooled_width) {
  if (features == 0) return 0;
  if (model.interaction == model::Interaction::cat) return model.bottom.back() + pooled_width;
  const Index vectors = features + 1;
  return model.bottom.back() + vectors * (vectors - 1) / 2 + (model.itself ? vectors : 0);
}

/// plan.file, where the tables are known: what it is for and which kernels it gives. Errors as training's.
void read_plan_file(const deck::Deck& deck, Summary& s) {
  if (deck.plan.file.empty() || s.rows == 0) return;
  s.plan_ranks = planning::plan_ranks(deck.plan.file);
  const auto plan = planning::read_given_plan(deck.plan, deck.tables, s.plan_ranks);
  s.kernels.clear();
  for (const planning::ParameterSharding& sharding : plan) s.kernels.push_back(sharding.kernel);
}

/// Of a deck whose tables are filled in as far as they are known.
Summary summarise(const deck::Deck& deck, const std::optional<data::SourceInfo>& info) {
  Summary s;
  Index pooled_width = 0;
  bool all_rows = true;
  s.tables = std::ssize(deck.tables);
  for (const auto& table : deck.tables) {
    s.features += std::ssize(table.feature_names);
    pooled_width += table.embedding_dim * std::ssize(table.feature_names);
    all_rows = all_rows && table.num_embeddings > 0;
    s.rows += table.num_embeddings;
    s.table_parameters += table.num_embeddings * table.embedding_dim;
    const auto demand = deck.plan.tables.find(table.name);
    const bool dense = demand != deck.plan.tables.end() && demand->second.kernel == embedding::ComputeKernel::dense;
    s.kernels.push_back(dense ? embedding::ComputeKernel::dense : embedding::ComputeKernel::fused);
  }
  if (!all_rows) s.rows = s.table_parameters = 0;
  read_plan_file(deck, s);
  for (std::size_t t = 0; t < deck.tables.size(); ++t) s.table_bytes += bytes_of(deck, deck.tables[t], s.kernels[t]);
  if (!all_rows) s.table_bytes = 0;
  s.bottom = deck.model.bottom;
  s.bottom.insert(s.bottom.begin(), info ? info->dense_features : 0);
  s.top = deck.model.top;
  s.top.insert(s.top.begin(), interaction_width(deck.model, s.features, pooled_width));
  const Index bottom = mlp_parameters(s.bottom), top = mlp_parameters(s.top);
  s.mlp_parameters = bottom > 0 && top > 0 ? bottom + top : 0;
  s.mlp_bytes = s.mlp_parameters * (1 + std::ssize(optim::states(deck.optimizer.dense.type))) * Index{sizeof(float)};
  return s;
}

std::string number(Index value) { return value > 0 ? std::to_string(value) : "?"; }

std::string widths(const std::vector<Index>& list) { return join(list, "-", number); }

Json known(Index value) { return value > 0 ? Json(value) : Json(); }

std::string summary_text(const deck::Deck& deck, const Summary& s, int lanes, bool info_known) {
  const bool dot = deck.model.interaction == model::Interaction::dot;
  std::string text =
      concat(deck.file, " is valid\n  bottom MLP   ", widths(s.bottom), "\n  interaction  ", dot ? "dot" : "cat",
             " of ", number(s.features), " features and the bottom MLP: width ", number(s.top.front()),
             "\n  top MLP      ", widths(s.top), "\n  tables       ", number(s.tables), ", ", number(s.rows),
             " rows\n  parameters   ", number(s.mlp_parameters), " in MLPs, ", number(s.table_parameters),
             " in tables\n  memory       ", number(s.mlp_bytes), " bytes for MLPs, ", number(s.table_bytes),
             " for tables, one copy with optimizer state\n  batch        ", deck.train.batch_size, " samples in ",
             lanes, " lanes\n");
  if (!deck.plan.file.empty())
    text += concat("  plan         ", deck.plan.file,
                   s.plan_ranks > 0 ? ", for " + counted(s.plan_ranks, "rank")
                                    : ", not read: the rows of the tables are not known yet",
                   "\n");
  for (std::size_t t = 0; t < deck.tables.size(); ++t) {
    const embedding::EmbeddingBagConfig& table = deck.tables[t];
    text += concat("  table ", table.name, ": ", number(table.num_embeddings), " rows x ", table.embedding_dim,
                   " columns, ", number(bytes_of(deck, table, s.kernels[t])), " bytes, kernel ",
                   planning::name(s.kernels[t]), "\n");
  }
  return text + (info_known ? "" : "  ? = the data set decides, and data.train does not exist yet\n");
}

Json tables_json(const deck::Deck& deck, const Summary& s) {
  Json all = Json::array();
  for (std::size_t t = 0; t < deck.tables.size(); ++t) {
    const embedding::EmbeddingBagConfig& table = deck.tables[t];
    all.add(Json::object()
                .set("name", table.name)
                .set("rows", known(table.num_embeddings))
                .set("dim", table.embedding_dim)
                .set("features", table.feature_names)
                .set("kernel", planning::name(s.kernels[t]))
                .set("bytes", known(bytes_of(deck, table, s.kernels[t]))));
  }
  return all;
}

Json widths_json(const std::vector<Index>& list) {
  Json array = Json::array();
  for (const Index width : list) array.add(known(width));
  return array;
}

}  // namespace

int check(const Invocation& invocation, const comm::Communicator& comm) {
  deck::Deck deck = invocation.read_deck();
  const std::string effective = deck::effective_deck(deck);
  const std::optional<data::SourceInfo> info = known_data(deck);
  deck.tables = known_tables(deck, info);
  if (!deck.tables.empty()) deck::check_deck(deck);
  const Summary s = summarise(deck, info);
  const int lanes = deck.train.lanes > 0 ? deck.train.lanes : Lanes::automatic(deck.train.batch_size);
  if (!invocation.json) {
    print(comm, summary_text(deck, s, lanes, info.has_value()));
    return 0;
  }
  print(comm, Json::object()
                  .set("valid", true)
                  .set("deck", deck.file)
                  .set("bottom", widths_json(s.bottom))
                  .set("top", widths_json(s.top))
                  .set("interaction_width", known(s.top.front()))
                  .set("features", known(s.features))
                  .set("tables", known(s.tables))
                  .set("rows", known(s.rows))
                  .set("mlp_parameters", known(s.mlp_parameters))
                  .set("table_parameters", known(s.table_parameters))
                  .set("mlp_bytes", known(s.mlp_bytes))
                  .set("table_bytes", known(s.table_bytes))
                  .set("table_list", tables_json(deck, s))
                  .set("plan_ranks", known(s.plan_ranks))
                  .set("batch_size", deck.train.batch_size)
                  .set("lanes", lanes)
                  .set("effective_deck", effective));
  return 0;
}

}  // namespace tesserec::app
