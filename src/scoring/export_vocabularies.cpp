// SPDX-License-Identifier: Apache-2.0
#include "export_vocabularies.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dataset_vocabularies.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/scoring/vocabulary_file.hpp>

namespace tesserec::scoring {
namespace {

FolderVocabulary write_vocabulary(const StoredTokens& tokens, const std::string& feature, const std::string& folder,
                                  const std::string& name) {
  ExportedFile file(folder, name);
  file.write(std::as_bytes(std::span<const std::uint64_t>(vocabulary_table(tokens.offsets, tokens.text()))));
  file.write(std::as_bytes(std::span<const Index>(tokens.offsets)));
  file.write(std::as_bytes(std::span<const std::uint8_t>(tokens.bytes)));
  return {.feature = feature, .rows = tokens.rows(), .file = file.finish()};
}

}  // namespace

void export_vocabularies(const ExportSource& source, const std::string& dataset, const std::string& folder,
                         ModelManifest& manifest) {
  std::optional<DatasetVocabularies> vocabularies;
  try {
    vocabularies.emplace(source.facts(), served_features(source.tables()), dataset);
  } catch (const Stopped&) {
    throw;
  } catch (const Error& error) {
    if (!dataset.empty()) fail("--vocabulary ", dataset, ": ", error.what());
    manifest.no_raw = error.what();
    return;
  }
  manifest.raw.emplace();
  vocabularies->each([&](const std::string& feature, const StoredTokens& tokens) {
    manifest.raw->push_back(write_vocabulary(
        tokens, feature, folder, "vocabulary_" + right(std::to_string(manifest.raw->size()), 4, '0') + ".tokens"));
  });
}

}  // namespace tesserec::scoring
