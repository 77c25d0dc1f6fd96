// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

#include "memory_table.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/file.hpp>
#include <tesserec/core/memory_limits.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/embedding/embedding_bag_collection.hpp>
#include <tesserec/network/smaller_tables.hpp>
#include <tesserec/schema/model_deck.hpp>
#include <tesserec/scoring/model_delta.hpp>
#include <tesserec/scoring/raw_inputs.hpp>
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
    std::fill_n(parameters.data(), network.parameters(), 0.0f);  // gaps between tensors
  }

  /// Allocates the rows of a checkpoint's tables.
  void allocate(const Exec& exec, std::optional<ServedFormat> rows);
  void add_table(const Exec& exec, const ServedTable& table);
  /// Returns a table of the collection without rows.
  ServedTable table_without_rows(std::size_t table, ServedFormat format) const;
  void read(const Exec& exec, const store::OpenCheckpoint& checkpoint);
  void map(const std::string& folder, const ModelManifest& manifest);
  void read_network(const std::string& path, const ModelManifest& manifest);

  TrainedFacts facts;
  schema::ModelDeck deck;
  embedding::EmbeddingBagCollection collection;  // without storage
  network::Network network;
  std::vector<std::string> features;
  NumberType vectors;
  PlacedVector<float> parameters;
  std::vector<store::MappedFile> files;  // rows of a model folder's tables
  std::deque<IdRows> ids;                // of a model folder's growing tables
  std::deque<MemoryTable> memory;        // a checkpoint's tables
  std::vector<ServedTable> tables;
  std::shared_ptr<const RawInputs> raw;
  std::string no_raw = "it is a checkpoint's, without the vocabulary";
  bool is_whole = true;  // false while the weights are being changed, and after a change that threw
};

ServedTable ServedModel::Parts::table_without_rows(std::size_t table, ServedFormat format) const {
  ServedTable served{.config = collection.tables()[table], .format = format};
  if (served.config.grows() && served.config.growth.unknown == embedding::UnknownRow::start)
    served.unknown.emplace(served.config, deck.seed, Index(table));
  return served;
}

void ServedModel::Parts::allocate(const Exec& exec, std::optional<ServedFormat> rows) {
  for (std::size_t t = 0; t < collection.tables().size(); ++t) {
    const embedding::EmbeddingBagConfig& table = collection.tables()[t];
    const ServedFormat wanted = rows.value_or(format_of(table.weight_format()));
    add_table(exec, table_without_rows(t, format_of_rows(wanted, table.embedding_dim)));
  }
}

void ServedModel::Parts::add_table(const Exec& exec, const ServedTable& table) {
  memory.emplace_back(exec, table);
  tables.push_back(memory.back().table());
}

void ServedModel::Parts::read(const Exec& exec, const store::OpenCheckpoint& checkpoint) {
  std::vector<store::StateItem> items;
  for (MemoryTable& table : memory) table.add_items(checkpoint, items);
  for (const network::Parameter& p : network.layout())
    items.push_back({.name = "dense/" + p.name + "/value",
                     .rows = p.rows,
                     .columns = p.columns,
                     .slab = {0, p.rows},
                     .source = store::placed_rows(parameters.data() + p.offset, p.columns)});
  store::read_state(exec, checkpoint.state, items);
  for (MemoryTable& table : memory) table.end_read(checkpoint.state.path());
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
  Index bytes = 0;
  for (const FolderTable& table : manifest.tables) bytes += table.file.bytes;
  const auto mapping = bytes < node_memory().bytes / 2 ? store::Mapping::huge_pages : store::Mapping::pages;
  for (std::size_t t = 0; t < collection.tables().size(); ++t) {
    const embedding::EmbeddingBagConfig& table = collection.tables()[t];
    const auto found = std::ranges::find(manifest.tables, table.name, &FolderTable::name);
    const bool fits = found != manifest.tables.end() && found->dim == table.embedding_dim &&
                      found->ids.has_value() == table.grows() &&
                      (table.grows() ? found->rows <= table.rows().size() : found->rows == table.rows().size());
    if (!fits)
      fail(facts.file, ": its deck has table ", table.name, table.grows() ? " of up to " : " of ", table.rows().size(),
           " x ", table.embedding_dim, ", which the manifest does not list; export the model again");
    files.emplace_back(folder + "/" + found->file.name, found->file.bytes, mapping);
    tables.push_back(table_without_rows(t, found->format));
    tables.back().rows = files.back().data();
    if (!found->ids) continue;
    require_file(folder, *found->ids);
    tables.back().ids = &ids.emplace_back(folder + "/" + found->ids->name, found->rows);
  }
}

ServedModel::ServedModel(const Exec& exec, const std::string& folder, std::optional<ServedFormat> rows) {
  if (is_model_folder(folder)) {
    if (rows) fail(folder, " is a model folder, whose rows have their format; omit --rows, or name a checkpoint");
    const ModelManifest manifest = read_model_manifest(folder);
    parts_ = std::make_unique<Parts>(exec, manifest.facts, manifest.mlp);
    parts_->map(folder, manifest);
    parts_->no_raw = manifest.no_raw.empty() ? "its folder has no vocabulary; export it again" : manifest.no_raw;
    if (manifest.raw)
      parts_->raw = std::make_shared<RawInputs>(folder, manifest, served_features(parts_->collection.tables()));
  } else {
    const store::OpenCheckpoint checkpoint = store::open_checkpoint(folder);
    parts_ = std::make_unique<Parts>(exec, facts_of(checkpoint), std::nullopt);
    parts_->allocate(exec, rows);
    parts_->read(exec, checkpoint);
  }
  parts_->network.freeze(exec, parts_->parameters);
}

ServedModel::ServedModel(const Exec& exec, const ServedModel& from)
    : parts_(std::make_unique<Parts>(exec, from.facts(), std::nullopt)) {
  for (const ServedTable& table : from.tables()) parts_->add_table(exec, table);
  parts_->raw = from.parts_->raw;
  parts_->no_raw = from.parts_->no_raw;
  copy(exec, from);
}

void ServedModel::read_vocabularies(const std::string& dataset) {
  if (parts_->memory.empty())
    fail(facts().file, ": a model folder has the vocabulary that it was exported with; leave --vocabulary out");
  try {
    parts_->raw = std::make_shared<RawInputs>(facts(), served_features(parts_->collection.tables()), dataset);
  } catch (const Stopped&) {
    throw;
  } catch (const Error& error) {
    if (!dataset.empty()) fail("--vocabulary ", dataset, ": ", error.what());
    parts_->no_raw = error.what();
  }
}

void ServedModel::read(const Exec& exec, const store::Checkpoint& checkpoint) {
  const store::OpenCheckpoint open = store::open_checkpoint(checkpoint.folder, 0, 0);
  if (open.manifest.state != checkpoint.seal) fail(checkpoint.folder, " was replaced while it was read");
  TrainedFacts facts = facts_of(open);
  if (const std::string difference = model_difference(facts, parts_->facts); !difference.empty())
    fail(facts.file, " is of another model than ", parts_->facts.file, ", since ", difference,
         " differs; start the server again to serve it");
  open.state.verify_parts();
  parts_->is_whole = false;
  parts_->read(exec, open);
  parts_->network.freeze(exec, parts_->parameters);
  parts_->facts = std::move(facts);
  parts_->is_whole = true;
}

void ServedModel::apply(const Exec& exec, const ModelDelta& delta) {
  if (delta.continues != store::Continued{facts().step, facts().seal})
    fail(delta.file, " continues a state of step ", delta.continues.step, ", but not that of ", facts().file);
  parts_->is_whole = false;
  for (std::size_t t = 0; t < delta.tables.size(); ++t) parts_->memory[t].apply(delta.tables[t], delta.file);
  for (const network::Parameter& p : parts_->network.layout())
    std::copy_n(delta.parameters.data() + p.offset, p.rows * p.columns, parts_->parameters.data() + p.offset);
  parts_->network.freeze(exec, parts_->parameters);
  parts_->facts.file = delta.file;
  parts_->facts.step = delta.step;
  parts_->facts.seal = delta.seal;
  parts_->is_whole = true;
}

void ServedModel::copy(const Exec& exec, const ServedModel& other) {
  const Parts& from = *other.parts_;
  parts_->is_whole = false;
  for (std::size_t t = 0; t < from.memory.size(); ++t) parts_->memory[t].copy(from.memory[t]);
  std::copy_n(from.parameters.data(), parts_->network.parameters(), parts_->parameters.data());
  parts_->network.freeze(exec, parts_->parameters);
  parts_->facts = from.facts;
  parts_->is_whole = from.is_whole;
}

bool ServedModel::has_state_of(const ServedModel& other) const {
  return parts_->is_whole && facts().step == other.facts().step && facts().seal == other.facts().seal;
}

ServedModel::~ServedModel() = default;

const TrainedFacts& ServedModel::facts() const { return parts_->facts; }
const std::vector<ServedTable>& ServedModel::tables() const { return parts_->tables; }
const network::Network& ServedModel::network() const { return parts_->network; }
Index ServedModel::label_count() const { return network().settings().labels(); }
const std::vector<std::string>& ServedModel::labels() const { return network().settings().tasks; }
const std::vector<std::string>& ServedModel::features() const { return parts_->features; }
NumberType ServedModel::vectors() const { return parts_->vectors; }
const RawInputs* ServedModel::raw() const { return parts_->raw.get(); }
const std::string& ServedModel::no_raw() const { return parts_->no_raw; }

Index ServedModel::ids(std::size_t feature) const {
  Index ids = std::numeric_limits<Index>::max();
  for (const ServedTable& table : tables())
    if (!table.config.grows() && std::ranges::count(table.config.feature_names, features()[feature]) > 0)
      ids = std::min(ids, table.config.ids());
  return ids;
}

bool ServedModel::weighted(std::size_t feature) const {
  return std::ranges::any_of(tables(), [&](const ServedTable& table) {
    return table.config.weighted && std::ranges::count(table.config.feature_names, features()[feature]) > 0;
  });
}

}  // namespace tesserec::scoring
