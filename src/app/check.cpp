// SPDX-License-Identifier: Apache-2.0
// Command `tesserec check`: validates a deck and describes its model, as far as it is known without the data.
#include <optional>
#include <set>

#include "job.hpp"
#include "unread_keys.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/lanes.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/model/sharded_model.hpp>
#include <tesserec/network/model_types.hpp>
#include <tesserec/optim/schedule.hpp>
#include <tesserec/planning/plan_file.hpp>
#include <tesserec/train/session.hpp>
#include <tesserec/train/tables.hpp>

namespace tesserec::app {
namespace {

/// Model as far as the deck alone describes it; 0 = the data decide.
struct Summary {
  std::vector<network::LayerInfo> layers;  ///< layers, without shapes if the data decide them
  Index features = 0;
  Index tables = 0;
  Index rows = 0;  ///< rows of all tables
  Index dense_parameters = 0, dense_bytes = 0;
  Index table_parameters = 0, table_bytes = 0;
  std::string unread;                             ///< line about features that no table reads, or empty
  int plan_ranks = 0;                             ///< ranks of plan.file
  std::vector<embedding::ComputeKernel> kernels;  ///< kernels [table]
};

/// Returns the bytes of a table with its optimizer state. Throws Error if the optimizer does not support the kernel.
Index bytes_of(const deck::Deck& deck, const embedding::EmbeddingBagConfig& table, embedding::ComputeKernel kernel) {
  const optim::Settings& optimizer = planning::optimizer_of(table, kernel, deck.optimizer.sparse, deck.optimizer.dense);
  planning::check_kernel(table, kernel, optimizer);
  return planning::table_bytes(table, optimizer);
}

/// Returns the layers, without shapes unless the widths of the inputs are known.
std::vector<network::LayerInfo> layers_of(const deck::Deck& deck, const std::optional<data::SourceInfo>& info) {
  if (info && !deck.tables.empty())
    return network::Network(deck.model, info->dense_features, network::embedded_features(deck.tables)).layers();
  std::vector<network::LayerInfo> layers;
  for (layers::LayerSettings& settings : network::layers_of(deck.model, !info || info->dense_features > 0))
    layers.emplace_back().settings = std::move(settings);
  return layers;
}

/// Reads the number of ranks and the kernels from plan.file if the tables are known. Throws the Errors of training.
void read_plan_file(const deck::Deck& deck, Summary& s) {
  if (deck.plan.file.empty() || s.rows == 0) return;
  try {
    s.plan_ranks = planning::plan_ranks(deck.plan.file);
  } catch (const Error& error) {
    fail("plan.file: ", error.what());
  }
  try {
    train::lanes_for(s.plan_ranks, deck.train);
  } catch (const Error& error) {
    fail("plan.file: ", deck.plan.file, ": ", error.what());
  }
  const auto plan = planning::read_given_plan(deck.plan, deck.tables, s.plan_ranks);
  s.kernels.clear();
  for (const planning::ParameterSharding& sharding : plan) s.kernels.push_back(sharding.kernel);
}

/// Summarizes a deck whose tables are filled in as far as they are known.
Summary summarize(const deck::Deck& deck, const std::optional<data::SourceInfo>& info) {
  Summary s;
  bool all_rows = true;
  s.tables = std::ssize(deck.tables);
  for (const auto& table : deck.tables) {
    if (!table.half || !table.half->remainder) s.features += std::ssize(table.feature_names);
    all_rows = all_rows && table.rows().size() > 0;
    s.rows += table.rows().size();
    s.table_parameters += table.weights();
    const auto constraints = deck.plan.tables.find(table.name);
    const bool own = constraints != deck.plan.tables.end() && constraints->second.kernel;
    const planning::ComputeKernels& kernels = own ? constraints->second.kernel : deck.plan.kernel;
    s.kernels.push_back(kernels.value_or(embedding::ComputeKernel::fused));
  }
  if (!all_rows) s.rows = s.table_parameters = 0;
  read_plan_file(deck, s);
  for (std::size_t t = 0; t < deck.tables.size(); ++t) s.table_bytes += bytes_of(deck, deck.tables[t], s.kernels[t]);
  if (!all_rows) s.table_bytes = 0;
  s.layers = layers_of(deck, info);
  for (const network::LayerInfo& layer : s.layers) s.dense_parameters += layer.parameters;
  s.dense_bytes =
      s.dense_parameters * (1 + std::ssize(optim::states(deck.optimizer.dense.type))) * Index{sizeof(float)};
  return s;
}

std::string number(Index value) { return value > 0 ? std::to_string(value) : "?"; }

/// Returns "1 row", "2 rows" or, for 0, "? rows".
std::string numbered(Index value, const char* noun) {
  return value > 0 ? counted(value, noun) : concat("? ", noun, "s");
}

Json known(Index value) { return value > 0 ? Json(value) : Json(); }

std::string known_bytes(Index bytes) { return bytes > 0 ? bytes_text(double(bytes)) : "?"; }

/// Names the step from which the decayed rates stay constant, and these rates. Empty without decay_steps.
std::string schedule_text(const deck::Deck& deck) {
  const optim::ScheduleSettings& schedule = deck.schedule;
  if (schedule.decay_steps == 0) return "";
  const Index last = schedule.decay_start_step + schedule.decay_steps - 1;
  const auto rate = [&](const optim::Settings& optimizer) {
    return significant(optim::scheduled_rate(schedule, optimizer.lr, last), 4);
  };
  return concat("  schedule     from step ", last, " on the learning rate stays at ", rate(deck.optimizer.dense),
                " (dense) and ", rate(deck.optimizer.sparse), " (sparse)\n");
}

/// Returns " of bf16" or the like, or nothing for fp32.
std::string format_text(const embedding::EmbeddingBagConfig& table) {
  return table.weight_format() == NumberType::fp32 ? "" : " of " + name(table.weight_format());
}

std::string summary_text(const deck::Deck& deck, const Summary& s, int lanes, bool info_known) {
  std::string text =
      concat(deck.file, " is valid\n", network::describe_layers(s.layers), "  precision    ",
             products::name(deck.model.precision), "\n  tables       ", number(s.tables), " for ",
             numbered(s.features, "feature"), ", ", numbered(s.rows, "row"), "\n", s.unread, "  parameters   ",
             number(s.dense_parameters), " in layers, ", number(s.table_parameters), " in tables\n  memory       ",
             known_bytes(s.dense_bytes), " for layers, ", known_bytes(s.table_bytes),
             " for tables, one copy with optimizer state\n  batch        ", counted(deck.train.batch_size, "sample"),
             " in ", counted(lanes / deck.train.accumulate, "lane"),
             deck.train.accumulate > 1 ? concat(", ", deck.train.accumulate, " micro-batches per step") : "", "\n");
  text += schedule_text(deck);
  if (!deck.plan.file.empty())
    text += concat("  plan         ", deck.plan.file,
                   s.plan_ranks > 0 ? ", for " + counted(s.plan_ranks, "rank")
                                    : ", not read: the rows of the tables are not known yet",
                   "\n");
  for (std::size_t t = 0; t < deck.tables.size(); ++t) {
    const embedding::EmbeddingBagConfig& table = deck.tables[t];
    const char* const growing = table.grows() ? ", growing" : "";
    text += concat("  table ", table.name, ": ", numbered(table.rows().size(), "row"), " x ",
                   counted(table.embedding_dim, "column"), format_text(table), growing, ", ",
                   known_bytes(bytes_of(deck, table, s.kernels[t])), ", kernel ", planning::name(s.kernels[t]),
                   table.unpooled.empty() ? "" : ", un-pooled " + join(table.unpooled), "\n");
  }
  return text + (info_known ? "" : "  ? = unknown until the data set of data.train exists\n");
}

/// Returns the network in the language of Graphviz, which `dot -Tsvg` draws.
std::string dot_text(const std::vector<network::LayerInfo>& layers) {
  std::set<std::string> names;
  for (const network::LayerInfo& layer : layers) names.insert(layer.settings.name);
  const std::set<std::string> made = names;
  std::string nodes, edges;
  const auto node = [&](const std::string& name, const std::string& text, const std::string& shape) {
    nodes += concat("  \"", name, "\" [shape=", shape, ", label=\"", text, "\"]\n");
  };
  for (const network::LayerInfo& layer : layers) {
    const std::string& name = layer.settings.name;
    node(name, concat(name, "\\n", layer.settings.type, layer.shape.empty() ? "" : ": ", layer.shape), "box");
    const auto edge = [&](const std::string& from, const std::string& to) {
      edges += concat("  \"", from, "\" -> \"", to, "\"\n");
    };
    for (const std::string& input : layer.settings.inputs) {
      const std::string from = input == "rest" ? "rest for " + name : input;  // Each layer has another "rest".
      if (names.insert(from).second) node(from, input, "ellipse");
      edge(from, name);
    }
    const std::vector<std::string>& inputs = layer.settings.inputs;
    for (const layers::InputShape& input : layer.inputs)
      for (const std::string& vector : input.names)  // A wider input may contain a layer's vector.
        if (made.count("pooled." + vector) != 0 && std::count(inputs.begin(), inputs.end(), "pooled." + vector) == 0)
          edge("pooled." + vector, name);
  }
  return "digraph network {\n  rankdir=BT\n  node [fontname=\"Helvetica\", fontsize=11]\n" + nodes + edges + "}\n";
}

Json tables_json(const deck::Deck& deck, const Summary& s) {
  Json all = Json::array();
  for (std::size_t t = 0; t < deck.tables.size(); ++t) {
    const embedding::EmbeddingBagConfig& table = deck.tables[t];
    all.add(Json::object()
                .set("name", table.name)
                .set("rows", known(table.rows().size()))
                .set("dim", table.embedding_dim)
                .set("format", name(table.weight_format()))
                .set("features", table.feature_names)
                .set("unpooled", table.unpooled)
                .set("kernel", planning::name(s.kernels[t]))
                .set("bytes", known(bytes_of(deck, table, s.kernels[t]))));
  }
  return all;
}

Json layers_json(const Summary& s) {
  Json all = Json::array();
  for (const network::LayerInfo& layer : s.layers)
    all.add(Json::object()
                .set("name", layer.settings.name)
                .set("type", layer.settings.type)
                .set("inputs", layer.settings.inputs)
                .set("shape", layer.shape)
                .set("width", known(layer.width))
                .set("parameters", layer.width > 0 ? Json(layer.parameters) : Json()));
  return all;
}

}  // namespace

int check(const Invocation& invocation, const comm::Communicator& comm) {
  deck::Deck deck = invocation.read_deck();
  deck::check_sweep(deck);
  deck::Deck original = deck;
  const std::optional<data::SourceInfo> info = known_data(deck, comm);
  deck.tables = known_tables(deck, info);
  if (!deck.tables.empty()) deck::check_deck(deck);
  if (info) check_group(deck, *info);
  if (info) require_network(deck, *info);
  warn_of_unread_keys(comm, original);
  warn_of_unread_caches(comm, deck);
  if (info) warn_of_mixed_tables(comm, deck.tables, *info);
  if (invocation.has("--network")) {
    print(comm, deck::effective_deck(deck::as_network(std::move(original), !info || info->dense_features > 0)));
    return 0;
  }
  Summary s = summarize(deck, info);
  if (info) s.unread = train::unread_features(deck.tables, *info, "left out     ");
  if (invocation.has("--dot")) {
    print(comm, dot_text(s.layers));
    return 0;
  }
  const int lanes = deck.train.lane_count();
  if (!invocation.json) {
    print(comm, summary_text(deck, s, lanes, info.has_value()));
    return 0;
  }
  print(comm, Json::object()
                  .set("valid", true)
                  .set("deck", deck.file)
                  .set("layers", layers_json(s))
                  .set("precision", products::name(deck.model.precision))
                  .set("features", known(s.features))
                  .set("tables", known(s.tables))
                  .set("rows", known(s.rows))
                  .set("dense_parameters", known(s.dense_parameters))
                  .set("table_parameters", known(s.table_parameters))
                  .set("dense_bytes", known(s.dense_bytes))
                  .set("table_bytes", known(s.table_bytes))
                  .set("table_list", tables_json(deck, s))
                  .set("plan_ranks", known(s.plan_ranks))
                  .set("batch_size", deck.train.batch_size)
                  .set("lanes", lanes)
                  .set("effective_deck", deck::effective_deck(original)));
  return 0;
}

}  // namespace tesserec::app
