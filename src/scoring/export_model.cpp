// SPDX-License-Identifier: Apache-2.0
#include "export_parts.hpp"
#include "export_vocabularies.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/scoring/export_model.hpp>
#include <tesserec/scoring/id_rows.hpp>
#include <tesserec/store/folder_draft.hpp>

namespace tesserec::scoring {
namespace {

/// Writes the ids of a growing table with the row of each.
FolderFile export_ids(ExportSource& source, const embedding::EmbeddingBagConfig& config, const std::string& folder,
                      const std::string& name) {
  const std::vector<Index> ids = source.ids(config);
  ExportedFile file(folder, name);
  try {
    file.write(std::as_bytes(std::span<const std::uint64_t>(id_row_slots(ids))));
  } catch (const Error& error) {
    fail(source.facts().file, ": table ", config.name, ": ", error.what());
  }
  file.write(std::as_bytes(std::span(ids)));
  return file.finish();
}

/// Writes a table to FILE.rows, and the ids of a growing one to FILE.ids.
FolderTable export_table(ExportSource& source, const embedding::EmbeddingBagConfig& config, ServedFormat wanted,
                         const std::string& folder, const std::string& file_name) {
  const ServedFormat format = format_of_rows(wanted, config.embedding_dim);
  FolderTable table{.name = config.name,
                    .rows = source.rows(config),
                    .dim = config.embedding_dim,
                    .format = format,
                    .features = config.feature_names,
                    .pooling = config.pooling == embedding::PoolingType::mean ? "mean" : "sum",
                    .weighted = config.weighted};
  if (config.grows()) table.ids = export_ids(source, config, folder, file_name + ".ids");
  ExportedFile file(folder, file_name + ".rows");
  std::vector<std::byte> bytes;
  std::vector<float> stored;
  source.each_piece(config, [&](Range rows, const float* exact) {
    bytes.resize(std::size_t(rows.size() * row_bytes(format, table.dim)));
    stored.resize(std::size_t(rows.size() * table.dim));
    write_rows(format, rows.size(), table.dim, exact, bytes.data());
    read_rows(format, rows.size(), table.dim, bytes.data(), stored.data());
    if (const Index bad = raise_errors(rows.size(), table.dim, exact, stored.data(), table.errors); bad >= 0)
      fail_unfit("table " + table.name, rows.begin + bad, {exact + bad * table.dim, std::size_t(table.dim)}, format);
    file.write(bytes);
  });
  table.file = file.finish();
  return table;
}

}  // namespace

ModelManifest export_model(const Exec& exec, const std::string& checkpoint, const std::string& to, ServedFormat format,
                           std::optional<products::Precision> mlp, const std::string& vocabulary) {
  store::FolderDraft folder(to, "--to");
  ExportSource source(exec, checkpoint);
  ModelManifest manifest{.facts = source.facts(),
                         .weights_digest = {},
                         .mlp = mlp.value_or(source.precision()),
                         .tables = {},
                         .network = {},
                         .tensors = {}};
  export_vocabularies(source, vocabulary, folder.draft(), manifest);  // before the tables, which take longer
  for (const embedding::EmbeddingBagConfig& table : source.tables())
    manifest.tables.push_back(export_table(source, table, format, folder.draft(),
                                           "table_" + right(std::to_string(manifest.tables.size()), 4, '0')));
  ExportedFile file(folder.draft(), "network.f32");
  for (const network::Parameter& tensor : source.tensors()) {
    manifest.tensors.push_back({tensor.name, tensor.rows, tensor.columns});
    source.each_piece(tensor, [&](Range rows, const float* numbers) {
      RowErrors errors;
      if (const Index bad = raise_errors(rows.size(), tensor.columns, numbers, numbers, errors); bad >= 0)
        fail_unfit("tensor " + tensor.name, rows.begin + bad,
                   {numbers + bad * tensor.columns, std::size_t(tensor.columns)}, ServedFormat::fp32);
      file.write(std::as_bytes(std::span(numbers, std::size_t(rows.size() * tensor.columns))));
    });
  }
  manifest.network = file.finish();
  manifest.weights_digest = source.digest();
  store::write_verified(folder.draft() + "/manifest.json", model_manifest_text(manifest));
  folder.publish();
  return manifest;
}

}  // namespace tesserec::scoring
