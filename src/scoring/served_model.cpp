// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include <tesserec/core/error.hpp>
#include <tesserec/core/file.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/embedding/embedding_bag_collection.hpp>
#include <tesserec/network/smaller_tables.hpp>
#include <tesserec/schema/model_deck.hpp>
#include <tesserec/scoring/served_model.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/mapped_file.hpp>

namespace tesserec::scoring {
namespace {

/// Returns the format to which pooled and unpooled vectors are rounded before layers read them.
NumberType vectors_of(const schema::ModelDeck& deck) {
  for (const schema::KeyValue& entry : deck.given)
    for (const auto& [name, type] : number_types())
      if (entry.key == "model.exchange_forward" && entry.value == "\"" + name + "\"") return type;
  return NumberType::fp32;
}

/// Weights of a store, as the target of a read from a file.
class WeightRows : public store::SlabSource {
 public:
  explicit WeightRows(embedding::RowStore& rows) : SlabSource(rows.dim()), rows_(rows) {}

  float* in_place(Range rows) const override { return rows_.in_place(0, rows); }
  bool rounds() const override { return rows_.weight_matrix().is_short(); }
  void read(const Exec& exec, Range rows, float* to) const override { rows_.read(exec, 0, rows, to); }
  void write(const Exec& exec, Range rows, const float* from) override { rows_.write(exec, 0, rows, from); }

 private:
  embedding::RowStore& rows_;
};

network::Settings host_settings(network::Settings settings, std::optional<products::Precision> mlp) {
  settings.kernels = Kernels::simd;
  settings.precision = mlp.value_or(served_precision(settings.precision));
  return settings;
}

ServedFormat format_of(NumberType type) {
  if (type == NumberType::fp32) return ServedFormat::fp32;
  return type == NumberType::fp16 ? ServedFormat::fp16 : ServedFormat::bf16;
}

}  // namespace

struct ServedModel::Parts {
  Parts(const Exec& exec, TrainedFacts given, std::optional<products::Precision> mlp)
      : facts(std::move(given)),
        deck(schema::read_model(facts.deck, facts.file + ": deck")),
        collection(
            network::smaller_tables(embedding::complete_tables(deck.tables, facts.features, facts.file), deck.model)),
        network(host_settings(deck.model, mlp), facts.dense_features, network::embedded_features(collection.tables())),
        features(collection.features()),
        vectors(vectors_of(deck)),
        parameters(make_vector<float>(exec, "tesserec::scoring::parameters", network.parameters())) {
    for (const embedding::EmbeddingBagConfig& table : collection.tables())
      if (table.grows())
        fail(facts.file, ": table ", table.name,
             " grows, and a Scorer reads tables of consecutive rows alone; score with `tesserec predict`");
    std::fill_n(parameters.data(), network.parameters(), 0.0f);  // gaps between tensors
  }

  void read(const Exec& exec, const store::PartedFile& state);
  void map(const std::string& folder, const ModelManifest& manifest);
  void read_network(const std::string& path, const ModelManifest& manifest);

  TrainedFacts facts;
  schema::ModelDeck deck;
  embedding::EmbeddingBagCollection collection;  // has storage if the model is a checkpoint's
  network::Network network;
  std::vector<std::string> features;
  NumberType vectors;
  PlacedVector<float> parameters;
  std::vector<store::MappedFile> files;
  std::vector<ServedTable> tables;
};

void ServedModel::Parts::read(const Exec& exec, const store::PartedFile& state) {
  collection.allocate(exec);
  std::vector<store::StateItem> items;
  const auto add = [&](const std::string& name, Index rows, Index width, std::shared_ptr<store::SlabSource> source) {
    items.push_back({.name = name, .rows = rows, .columns = width, .slab = {0, rows}, .source = std::move(source)});
  };
  for (const embedding::EmbeddingBagConfig& table : collection.tables()) {
    embedding::RowStore& store = collection.embedding_bag(table.name).store();
    add("tables/" + table.name + "/weight", table.rows().size(), table.embedding_dim,
        std::make_shared<WeightRows>(store));
    tables.push_back({table, format_of(store.weight_matrix().format), store.weight_matrix().row(0)});
  }
  for (const network::Parameter& p : network.layout())
    add("dense/" + p.name + "/value", p.rows, p.columns, store::placed_rows(parameters.data() + p.offset, p.columns));
  store::read_state(exec, state, items);
}

void ServedModel::Parts::read_network(const std::string& path, const ModelManifest& manifest) {
  const std::string bytes = read_file(path);
  const bool whole = std::ssize(bytes) == manifest.network.bytes &&
                     store::bytes_checksum("file", bytes.data(), std::ssize(bytes)) == manifest.network.checksum;
  if (!whole) fail(path, " is damaged: it differs from its checksum in manifest.json; export the model again");
  const std::vector<network::Parameter>& layout = network.layout();
  const auto same = [](const FolderTensor& a, const network::Parameter& b) {
    return a.name == b.name && a.rows == b.rows && a.columns == b.columns;
  };
  if (!std::ranges::equal(manifest.tensors, layout, same))
    fail(facts.file, ": its tensors are not those of its deck's network; export the model again");
  const char* from = bytes.data();
  for (const network::Parameter& p : layout) {
    const auto size = std::size_t(p.rows * p.columns) * sizeof(float);
    std::memcpy(parameters.data() + p.offset, from, size);
    from += size;
  }
}

void ServedModel::Parts::map(const std::string& folder, const ModelManifest& manifest) {
  read_network(folder + "/" + manifest.network.name, manifest);
  for (const embedding::EmbeddingBagConfig& table : collection.tables()) {
    const auto found = std::ranges::find(manifest.tables, table.name, &FolderTable::name);
    if (found == manifest.tables.end() || found->rows != table.rows().size() || found->dim != table.embedding_dim)
      fail(facts.file, ": its deck has table ", table.name, " of ", table.rows().size(), " x ", table.embedding_dim,
           ", which the manifest does not list; export the model again");
    files.emplace_back(folder + "/" + found->file.name, found->file.bytes);
    tables.push_back({table, found->format, files.back().data()});
  }
}

ServedModel::ServedModel(const Exec& exec, const std::string& folder) {
  if (is_model_folder(folder)) {
    const ModelManifest manifest = read_model_manifest(folder);
    parts_ = std::make_unique<Parts>(exec, manifest.facts, manifest.mlp);
    parts_->map(folder, manifest);
  } else {
    const store::OpenCheckpoint checkpoint = store::open_checkpoint(folder);
    parts_ = std::make_unique<Parts>(exec, facts_of(checkpoint), std::nullopt);
    parts_->read(exec, checkpoint.state);
  }
  parts_->network.freeze(exec, parts_->parameters);
}

ServedModel::~ServedModel() = default;

const TrainedFacts& ServedModel::facts() const { return parts_->facts; }
const std::vector<ServedTable>& ServedModel::tables() const { return parts_->tables; }
const network::Network& ServedModel::network() const { return parts_->network; }
const std::vector<std::string>& ServedModel::features() const { return parts_->features; }
NumberType ServedModel::vectors() const { return parts_->vectors; }

Index ServedModel::ids(std::size_t feature) const {
  Index ids = std::numeric_limits<Index>::max();
  for (const ServedTable& table : tables())
    if (std::ranges::count(table.config.feature_names, features()[feature]) > 0)
      ids = std::min(ids, table.config.ids());
  return ids;
}

bool ServedModel::weighted(std::size_t feature) const {
  return std::ranges::any_of(tables(), [&](const ServedTable& table) {
    return table.config.weighted && std::ranges::count(table.config.feature_names, features()[feature]) > 0;
  });
}

}  // namespace tesserec::scoring
