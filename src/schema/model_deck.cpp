// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <tesserec/core/text.hpp>
#include <tesserec/network/model_types.hpp>
#include <tesserec/schema/model_deck.hpp>
#include <tesserec/schema/model_rows.hpp>
#include <tesserec/schema/read.hpp>

namespace tesserec::schema {
namespace {

using embedding::EmbeddingBagConfig;

/// Names of the job's blocks, which the folder `deck` reads.
const std::vector<std::string> job_blocks = {"run",        "data",     "preprocess", "train", "schedule", "plan",
                                             "checkpoint", "evaluate", "import",     "bench", "sweep"};

const std::vector<Section<ModelDeck>>& model_sections() {
  static const std::vector<Section<ModelDeck>> all = [] {
    const auto optimizer = [](auto& deck) -> auto& { return deck.sparse; };
    std::vector<Section<ModelDeck>> sections = {
        single<ModelDeck>("model", "", model_keys(), [](auto& deck) -> auto& { return deck.model; }, {"layer"}),
        {layer_block(), [](ModelDeck& deck, const Value& root) { read_layers(deck, deck.model, root); }, {}},
        single<ModelDeck>("optimizer", "", Keys<optim::Settings>{}, optimizer, {"max_norm", "dense", "sparse"}),
        single<ModelDeck>("optimizer.sparse", "", optimizer_keys(optim::types()), optimizer),
        {table_block(),
         [](ModelDeck& deck, const Value& root) { read_tables(deck, deck.tables, deck.sparse, root); },
         {}},
    };
    return sections;
  }();
  return all;
}

const std::vector<BlockInfo>& model_blocks() {
  static const std::vector<BlockInfo> all = infos(model_sections());
  return all;
}

void check_growing(const Lines& deck, const EmbeddingBagConfig& table, const std::string& path) {
  if (table.num_embeddings == 0)
    fail(deck.at(path + ".rows"), " is 0, but the rows of a growing table are its capacity; set at least ",
         embedding::block_count);
  if (table.num_embeddings < embedding::block_count)
    fail(deck.at(path + ".rows"), " is ", table.num_embeddings, ", but a growing table has ", embedding::block_count,
         " row blocks that each need a row; set at least ", embedding::block_count);
  if (table.growth.eviction == embedding::Eviction::ttl && table.growth.ttl == 0)
    fail(deck.at(path + ".eviction"), " is \"ttl\", but the steps after which a row leaves are missing; set ", path,
         ".ttl");
  if (table.qr_collisions.value_or(0) > 0)
    fail(deck.at(path + ".qr_collisions"), " is ", *table.qr_collisions,
         ", but a growing table is not cut in two; remove it, or set ", path, ".growing = false");
  if (table.weight_format() != NumberType::fp32)
    fail(deck.at(path + ".format"), " is \"", name(table.weight_format()),
         "\", but a growing table has format \"fp32\"; remove it, or set ", path, ".growing = false");
}

void check_table(const Lines& deck, const EmbeddingBagConfig& table) {
  const std::string path = "table." + table.name;
  if (const std::string twice = repeated_text(table.feature_names); !twice.empty())
    fail(deck.at(path + ".features"), " has ", quoted(twice), " twice");
  for (const std::string& feature : table.unpooled)
    if (std::count(table.feature_names.begin(), table.feature_names.end(), feature) == 0)
      fail(deck.at(path + ".unpooled"), " has ", quoted(feature), ", which is not one of the table's features, ",
           join(table.feature_names));
  if (const std::string twice = repeated_text(table.unpooled); !twice.empty())
    fail(deck.at(path + ".unpooled"), " has ", quoted(twice), " twice");
  if (table.weighted && !table.unpooled.empty())
    fail(deck.at(path + ".unpooled"), " does not apply to a weighted table, because weights enter sums");
  if (!table.unpooled.empty() && (table.projection > 0 || table.qr_collisions.value_or(0) > 0))
    fail(deck.at(path + ".unpooled"),
         " does not apply to a table with a projection or qr_collisions, because layers read its rows unchanged");
  if (table.grows()) check_growing(deck, table, path);
}

}  // namespace

ModelDeck read_model(const std::string& text, const std::string& name) {
  const Value root = parse_toml(text, name);
  if (root.table.empty()) fail(name, ": the deck is empty; a model needs at least [model]");
  ModelDeck deck;
  deck.file = name;
  deck.blocks = &model_blocks();
  read_sections(deck, model_sections(), root, job_blocks);
  if (const Value* seed = root.find_path("run.seed")) deck.seed = std::uint64_t(read_integer(*seed, "run.seed", {}));
  check_model(deck, deck.model);
  check_tables(deck, deck.tables);
  return deck;
}

void check_model(const Lines& deck, const network::Settings& model) {
  with_lines(deck, [&] { network::layers_of(model); });
  if (model.loss == "wbce" && model.loss_settings.weights[0] == 0.0 && model.loss_settings.weights[1] == 0.0)
    fail(deck.at("model.loss_weights"), " are both 0, so the model would learn nothing; give a positive weight");
  for (std::size_t t = 0; t < model.tasks.size(); ++t)
    if (std::count(model.tasks.begin(), model.tasks.end(), model.tasks[t]) > 1)
      fail(deck.at("model.tasks"), " names ", quoted(model.tasks[t]), " twice; name each label once");
  const std::vector<double>& weights = model.loss_settings.task_weights;
  if (!weights.empty() && weights.size() != model.tasks.size())
    fail(deck.at("model.task_weights"), " has ", counted(std::ssize(weights), "number"), " for ",
         counted(std::ssize(model.tasks), "task"), "; give one for each of model.tasks");
  if (!weights.empty() && std::ranges::none_of(weights, [](double weight) { return weight > 0.0; }))
    fail(deck.at("model.task_weights"), " has no positive number, so the model would learn nothing");
}

void check_tables(const Lines& deck, const std::vector<EmbeddingBagConfig>& tables) {
  std::set<std::string> names;
  for (const EmbeddingBagConfig& table : tables) {
    if (!names.insert(table.name).second)
      fail(deck.at("table." + table.name + ".name"), ": two tables are called ", quoted(table.name), "; rename one");
    check_table(deck, table);
  }
}

void with_lines(const Lines& deck, const std::function<void()>& body) {
  try {
    body();
  } catch (const network::SettingError& error) {
    fail(deck.at(error.key), error.text);
  }
}

}  // namespace tesserec::schema
