// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <limits>

#include <tesserec/core/error.hpp>
#include <tesserec/core/file.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/raw/quantiles.hpp>
#include <tesserec/scoring/id_rows.hpp>
#include <tesserec/scoring/model_folder.hpp>
#include <tesserec/store/json_digest.hpp>
#include <tesserec/store/word_rows.hpp>

namespace tesserec::scoring {
namespace {

std::string manifest_of(const std::string& folder) { return folder + "/manifest.json"; }

template <class T>
std::vector<T> list(const store::Attributes& attributes, const std::string& name, const std::string& file) {
  return attributes.count(name) == 0 ? std::vector<T>() : store::attribute<std::vector<T>>(attributes, name, file);
}

std::vector<std::string> strings(const Json& array) {
  std::vector<std::string> texts;
  for (const Json& element : array.elements()) texts.push_back(element.string());
  return texts;
}

Json json_of(const FolderFile& file) {
  return Json::object()
      .set("name", file.name)
      .set("bytes", file.bytes)
      .set("checksum", store::checksum_text(file.checksum));
}

Json json_of(const std::vector<FolderVocabulary>& vocabularies) {
  Json list = Json::array(Json::Layout::lines);
  for (const FolderVocabulary& vocabulary : vocabularies)
    list.add(Json::object()
                 .set("feature", vocabulary.feature)
                 .set("rows", vocabulary.rows)
                 .set("file", json_of(vocabulary.file)));
  return list;
}

FolderFile file_of(const Json& json) {
  const std::string& text = json.at("checksum").string();
  const auto checksum = store::checksum_of_text(text);
  if (!checksum) fail("the checksum \"", text, "\" is not 16 hexadecimal digits");
  const std::string& name = json.at("name").string();
  if (name.empty() || name.find("..") != std::string::npos || name[0] == '/')
    fail("\"", name, "\" is not the name of a file in the folder");
  return {name, json.at("bytes").integer(), *checksum};
}

FolderTable table_of(const Json& json) {
  FolderTable table{.name = json.at("name").string(),
                    .rows = json.at("rows").integer(),
                    .dim = json.at("dim").integer(),
                    .format = row_format_named(json.at("format").string()),
                    .file = file_of(json.at("file")),
                    .errors = {json.at("error").number(), json.at("row_error").number()},
                    .features = strings(json.at("features")),
                    .pooling = json.at("pooling").string(),
                    .weighted = json.at("weighted").boolean()};
  if (json.has("ids")) table.ids = file_of(json.at("ids"));
  const bool fit_ids = !table.ids || (table.rows >= 0 && table.rows <= std::numeric_limits<std::uint32_t>::max() &&
                                      table.ids->bytes == id_rows_bytes(table.rows));
  if (!fit_ids)
    fail("table ", table.name, " has ids of ", table.ids->bytes, " bytes, which do not fit ", table.rows, " rows");
  if (table.rows < (table.ids ? 0 : 1) || table.dim < 1 || format_of_rows(table.format, table.dim) != table.format ||
      table.file.bytes / row_bytes(table.format, table.dim) != table.rows)
    fail("table ", table.name, " has ", table.file.bytes, " bytes, which do not fit ", table.rows, " x ", table.dim,
         " numbers as ", name(table.format));
  return table;
}

FolderVocabulary vocabulary_of(const Json& json) {
  FolderVocabulary vocabulary{
      .feature = json.at("feature").string(), .rows = json.at("rows").integer(), .file = file_of(json.at("file"))};
  if (vocabulary.rows < 1 || vocabulary.rows > std::numeric_limits<std::int32_t>::max())
    fail("the vocabulary of feature ", vocabulary.feature, " has ", vocabulary.rows, " ids");
  return vocabulary;
}

ModelManifest manifest_from(const Json& json) {
  ModelManifest manifest;
  TrainedFacts& facts = manifest.facts;
  facts.step = json.at("step").integer();
  facts.seal = json.at("checkpoint").string();
  manifest.weights_digest = json.at("weights_digest").string();
  if (json.has("mlp")) manifest.mlp = served_precision_named(json.at("mlp").string());
  facts.vocabulary = json.at("vocabulary_digest").string();
  for (const Json& feature : json.at("features").elements())
    facts.features.push_back({feature.at("name").string(), feature.at("ids").integer()});
  facts.dense_features = json.at("dense_features").integer();
  facts.dense_names = strings(json.at("dense_names"));
  facts.transforms = strings(json.at("transforms"));
  if (json.has("borders")) facts.borders = strings(json.at("borders"));
  for (const Json& table : json.at("tables").elements()) manifest.tables.push_back(table_of(table));
  manifest.network = file_of(json.at("network"));
  Index numbers = 0;
  for (const Json& tensor : json.at("tensors").elements()) {
    manifest.tensors.push_back(
        {tensor.at("name").string(), tensor.at("rows").integer(), tensor.at("columns").integer()});
    numbers += manifest.tensors.back().rows * manifest.tensors.back().columns;
  }
  if (manifest.network.bytes != numbers * Index{sizeof(float)})
    fail("the network has ", manifest.network.bytes, " bytes, but its tensors have ", numbers, " numbers");
  facts.deck = json.at("deck").string();
  if (json.has("no_raw")) manifest.no_raw = json.at("no_raw").string();
  if (!json.has("vocabularies")) return manifest;
  manifest.raw.emplace();
  for (const Json& vocabulary : json.at("vocabularies").elements()) manifest.raw->push_back(vocabulary_of(vocabulary));
  return manifest;
}

}  // namespace

products::Precision served_precision_named(const std::string& name) {
  const auto& all = products::served_precisions();
  const auto found = std::ranges::find(all, name, [](const auto& entry) { return entry.first; });
  if (found == all.end())
    fail("\"", name, "\" is no precision of scores; there are ",
         join(all, ", ", [](const auto& p) { return p.first; }));
  return found->second;
}

products::Precision served_precision(products::Precision trained) {
  return trained == products::Precision::tf32 ? products::Precision::fp32 : trained;
}

TrainedFacts facts_of(const store::OpenCheckpoint& checkpoint) {
  const store::Attributes attributes = store::read_attributes(checkpoint.state);
  const std::string file = checkpoint.state.path();
  const auto names = store::attribute<std::vector<std::string>>(attributes, "features", file);
  const auto rows = store::attribute<std::vector<std::int64_t>>(attributes, "rows", file);
  if (names.size() != rows.size())
    fail(file, ": attribute rows has ", counted(std::ssize(rows), "value"), " for ",
         counted(std::ssize(names), "feature"), ", so the file is damaged; use another checkpoint");
  TrainedFacts facts{.file = file,
                     .step = checkpoint.manifest.step,
                     .deck = store::attribute<std::string>(attributes, "deck", file),
                     .features = {},
                     .dense_features = store::attribute<std::int64_t>(attributes, "dense_features", file),
                     .dense_names = list<std::string>(attributes, "dense_names", file),
                     .transforms = list<std::string>(attributes, "transforms", file),
                     .borders = list<std::string>(attributes, raw::borders_attribute, file),
                     .vocabulary = store::attribute<std::string>(attributes, "vocabulary_digest", file),
                     .seal = checkpoint.manifest.state};
  for (std::size_t f = 0; f < names.size(); ++f) facts.features.push_back({names[f], rows[f]});
  return facts;
}

Index held_rows(const store::Manifest& checkpoint, const embedding::EmbeddingBagConfig& table) {
  const auto found = checkpoint.datasets.find(store::item_name(table.name, "ids"));
  return found == checkpoint.datasets.end() ? 0 : found->second.rows;
}

std::string model_manifest_text(const ModelManifest& manifest) {
  const TrainedFacts& facts = manifest.facts;
  Json features = Json::array(Json::Layout::lines), tables = Json::array(Json::Layout::lines),
       tensors = Json::array(Json::Layout::lines);
  for (const embedding::DataFeature& feature : facts.features)
    features.add(Json::object().set("name", feature.name).set("ids", feature.ids));
  for (const FolderTable& table : manifest.tables) {
    Json json = Json::object()
                    .set("name", table.name)
                    .set("rows", table.rows)
                    .set("dim", table.dim)
                    .set("format", name(table.format))
                    .set("file", json_of(table.file));
    if (table.ids) json.set("ids", json_of(*table.ids));
    tables.add(json.set("error", table.errors.number)
                   .set("row_error", table.errors.row)
                   .set("features", table.features)
                   .set("pooling", table.pooling)
                   .set("weighted", table.weighted));
  }
  for (const FolderTensor& tensor : manifest.tensors)
    tensors.add(Json::object().set("name", tensor.name).set("rows", tensor.rows).set("columns", tensor.columns));
  Json json = Json::object(Json::Layout::lines)
                  .set("format", model_format)
                  .set("version", model_version)
                  .set("step", facts.step)
                  .set("checkpoint", facts.seal)
                  .set("weights_digest", manifest.weights_digest);
  if (manifest.mlp) json.set("mlp", products::name(*manifest.mlp));
  if (!manifest.no_raw.empty()) json.set("no_raw", manifest.no_raw);
  if (manifest.raw) json.set("vocabularies", json_of(*manifest.raw));
  if (!facts.borders.empty()) json.set(raw::borders_attribute, facts.borders);
  return store::with_digest(json.set("vocabulary_digest", facts.vocabulary)
                                .set("features", features)
                                .set("dense_features", facts.dense_features)
                                .set("dense_names", facts.dense_names)
                                .set("transforms", facts.transforms)
                                .set("tables", tables)
                                .set("network", json_of(manifest.network))
                                .set("tensors", tensors)
                                .set("deck", facts.deck));
}

bool is_model_folder(const std::string& folder) {
  std::error_code unreadable;
  if (!std::filesystem::exists(manifest_of(folder), unreadable)) return false;
  try {
    const Json json = parse_json(read_file(manifest_of(folder)));
    return json.has("format") && json.at("format").string() == model_format;
  } catch (const Error&) {
    return false;  // a damaged manifest is the affair of whoever reads it
  }
}

ModelManifest read_model_manifest(const std::string& folder) {
  const std::string path = manifest_of(folder);
  const std::string text = read_file(path);
  try {
    const Json json = parse_json(text);
    if (const std::string& format = json.at("format").string(); format != model_format)
      fail("its format is \"", format, "\", not \"", model_format, '"');
    const std::int64_t version = json.at("version").integer();
    if (version > model_version)
      fail("it has format version ", version, ", but this program reads up to ", model_version,
           "; use the program that wrote it");
    store::require_digest(text);
    ModelManifest manifest = manifest_from(json);
    manifest.facts.file = path;
    return manifest;
  } catch (const std::exception& error) {
    fail(path, " is damaged or not the manifest of a model folder: ", error.what());
  }
}

void require_same(const std::string& folder, const FolderFile& file, const store::FileChecksum& found) {
  const std::string path = folder + "/" + file.name;
  if (found.bytes != file.bytes)
    fail(path, " has ", found.bytes, " bytes, but manifest.json says ", file.bytes,
         "; the file is truncated or was replaced; export the model again");
  if (found.checksum != file.checksum)
    fail(path, " is damaged: its checksum is ", store::checksum_text(found.checksum), ", but manifest.json says ",
         store::checksum_text(file.checksum), "; export the model again");
}

void require_file(const std::string& folder, const FolderFile& file) {
  require_same(folder, file, store::file_checksum(folder + "/" + file.name));
}

ModelManifest verify_model_folder(const std::string& folder) {
  ModelManifest manifest = read_model_manifest(folder);
  require_file(folder, manifest.network);
  for (const FolderTable& table : manifest.tables) {
    require_file(folder, table.file);
    if (table.ids) require_file(folder, *table.ids);
  }
  if (manifest.raw)
    for (const FolderVocabulary& vocabulary : *manifest.raw) require_file(folder, vocabulary.file);
  return manifest;
}

}  // namespace tesserec::scoring
