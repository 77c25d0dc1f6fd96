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

/// Writes rows in a table's format. `numbers`: those of the rows, for messages. `stored`: a buffer. Throws Error if a
/// number has no form in the format.
void write_served(const ServedTable& table, Range numbers, const float* from, std::byte* to,
                  std::vector<float>& stored) {
  const Index dim = table.config.embedding_dim, rows = numbers.size();
  write_rows(table.format, rows, dim, from, to);
  if (table.format == ServedFormat::fp32) return;
  stored.resize(std::size_t(rows * dim));
  read_rows(table.format, rows, dim, to, stored.data());
  RowErrors errors;
  if (const Index bad = raise_errors(rows, dim, from, stored.data(), errors); bad >= 0)
    fail("table ", table.config.name, ", row ", numbers.begin + bad, ": it has a number that ", name(table.format),
         " cannot hold; serve with --rows fp32");
}

/// Rows of a table in memory, as the target of a read from a file.
class TableRows : public store::SlabSource {
 public:
  TableRows(const ServedTable& table, std::byte* rows)
      : SlabSource(table.config.embedding_dim), table_(table), rows_(rows) {}

  float* in_place(Range rows) const override { return rounds() ? nullptr : reinterpret_cast<float*>(at(rows.begin)); }
  bool rounds() const override { return table_.format != ServedFormat::fp32; }
  void read(const Exec&, Range rows, float* to) const override {
    read_rows(table_.format, rows.size(), ld(), at(rows.begin), to);
  }
  void write(const Exec&, Range rows, const float* from) override {
    std::vector<float> stored;
    write_served(table_, rows, from, at(rows.begin), stored);
  }

 private:
  std::byte* at(Index row) const { return rows_ + row * row_bytes(table_.format, ld()); }

  const ServedTable& table_;
  std::byte* rows_;
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
    require_one_label(deck.model.tasks, facts.file);
    for (const embedding::EmbeddingBagConfig& table : collection.tables())
      if (table.grows())
        fail(facts.file, ": table ", table.name,
             " grows, and a Scorer reads tables of consecutive rows alone; score with `tesserec predict`");
    std::fill_n(parameters.data(), network.parameters(), 0.0f);  // gaps between tensors
  }

  /// Allocates the rows of a checkpoint's tables.
  void allocate(const Exec& exec, std::optional<ServedFormat> rows);
  void add_table(const Exec& exec, const embedding::EmbeddingBagConfig& table, ServedFormat format);
  void read(const Exec& exec, const store::PartedFile& state);
  void map(const std::string& folder, const ModelManifest& manifest);
  void read_network(const std::string& path, const ModelManifest& manifest);

  TrainedFacts facts;
  schema::ModelDeck deck;
  embedding::EmbeddingBagCollection collection;  // without storage
  network::Network network;
  std::vector<std::string> features;
  NumberType vectors;
  PlacedVector<float> parameters;
  std::vector<store::MappedFile> files;    // of a model folder's tables
  std::vector<Vector<std::byte>> storage;  // of a checkpoint's tables
  std::vector<ServedTable> tables;
  std::optional<RawInputs> raw;
  std::string no_raw = "it is served from a checkpoint; `tesserec export` writes a folder with the vocabulary";
  bool is_whole = true;  // false while the weights are being changed, and after a change that threw
};

void ServedModel::Parts::allocate(const Exec& exec, std::optional<ServedFormat> rows) {
  for (const embedding::EmbeddingBagConfig& table : collection.tables()) {
    ServedFormat format = rows.value_or(format_of(table.weight_format()));
    if (!takes_rows(format, table.embedding_dim)) format = ServedFormat::int8;
    add_table(exec, table, format);
  }
}

void ServedModel::Parts::add_table(const Exec& exec, const embedding::EmbeddingBagConfig& table, ServedFormat format) {
  storage.push_back(make_vector<std::byte>(exec, "tesserec::scoring::rows",
                                           table.rows().size() * row_bytes(format, table.embedding_dim)));
  tables.push_back({table, format, storage.back().data()});
}

void ServedModel::Parts::read(const Exec& exec, const store::PartedFile& state) {
  std::vector<store::StateItem> items;
  const auto add = [&](const std::string& name, Index rows, Index width, std::shared_ptr<store::SlabSource> source) {
    items.push_back({.name = name, .rows = rows, .columns = width, .slab = {0, rows}, .source = std::move(source)});
  };
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const embedding::EmbeddingBagConfig& table = tables[t].config;
    add("tables/" + table.name + "/weight", table.rows().size(), table.embedding_dim,
        std::make_shared<TableRows>(tables[t], storage[t].data()));
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

ServedModel::ServedModel(const Exec& exec, const std::string& folder, std::optional<ServedFormat> rows) {
  if (is_model_folder(folder)) {
    if (rows) fail(folder, " is a model folder, whose rows have their format; omit --rows, or name a checkpoint");
    const ModelManifest manifest = read_model_manifest(folder);
    parts_ = std::make_unique<Parts>(exec, manifest.facts, manifest.mlp);
    parts_->map(folder, manifest);
    parts_->no_raw = manifest.no_raw.empty() ? "its folder has no vocabulary; export it again" : manifest.no_raw;
    if (manifest.raw) parts_->raw.emplace(folder, manifest, served_features(parts_->collection.tables()));
  } else {
    const store::OpenCheckpoint checkpoint = store::open_checkpoint(folder);
    parts_ = std::make_unique<Parts>(exec, facts_of(checkpoint), std::nullopt);
    parts_->allocate(exec, rows);
    parts_->read(exec, checkpoint.state);
  }
  parts_->network.freeze(exec, parts_->parameters);
}

ServedModel::ServedModel(const Exec& exec, const ServedModel& from)
    : parts_(std::make_unique<Parts>(exec, from.facts(), std::nullopt)) {
  for (const ServedTable& table : from.tables()) parts_->add_table(exec, table.config, table.format);
  copy(exec, from);
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
  parts_->read(exec, open.state);
  parts_->network.freeze(exec, parts_->parameters);
  parts_->facts = std::move(facts);
  parts_->is_whole = true;
}

void ServedModel::apply(const Exec& exec, const ModelDelta& delta) {
  if (delta.continues != store::Continued{facts().step, facts().seal})
    fail(delta.file, " continues a state of step ", delta.continues.step, ", but not that of ", facts().file);
  parts_->is_whole = false;
  std::vector<float> stored;
  for (std::size_t t = 0; t < delta.tables.size(); ++t) {
    const ServedTable& table = parts_->tables[t];
    const Index dim = table.config.embedding_dim, bytes = row_bytes(table.format, dim);
    std::byte* const rows = parts_->storage[t].data();
    const ModelDelta::NewRows& moved = delta.tables[t];
    for (Index i = 0; i < std::ssize(moved.rows); ++i) {
      const Index row = moved.rows[i];
      write_served(table, {row, row + 1}, moved.weights.data() + i * dim, rows + row * bytes, stored);
    }
  }
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
  for (std::size_t t = 0; t < from.storage.size(); ++t)
    std::copy_n(from.storage[t].data(), from.storage[t].extent(0), parts_->storage[t].data());
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
const std::vector<std::string>& ServedModel::features() const { return parts_->features; }
NumberType ServedModel::vectors() const { return parts_->vectors; }
const RawInputs* ServedModel::raw() const { return parts_->raw ? &*parts_->raw : nullptr; }
const std::string& ServedModel::no_raw() const { return parts_->no_raw; }

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
