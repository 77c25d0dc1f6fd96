// SPDX-License-Identifier: Apache-2.0
/// A model folder: manifest.json, the network's parameters in one file, and the rows of each table in a file of its own
/// (docs/formats.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tesserec/embedding/complete_tables.hpp>
#include <tesserec/products/precision.hpp>
#include <tesserec/scoring/row_format.hpp>
#include <tesserec/store/checkpoint.hpp>
#include <tesserec/store/checksum.hpp>

namespace tesserec::scoring {

inline constexpr const char* model_format = "tesserec-model";
inline constexpr std::int64_t model_version = 2;

/// Facts of a trained model, as a checkpoint or a model folder states them.
struct TrainedFacts {
  std::string file;  ///< file that states them, for messages
  Index step = 0;
  std::string deck;                              ///< text of the effective deck
  std::vector<embedding::DataFeature> features;  ///< features of the data
  Index dense_features = 0;
  std::vector<std::string> dense_names = {};
  std::vector<std::string> transforms = {};  ///< transforms of the dense features; empty if the data name none
  std::vector<std::string> borders = {};     ///< borders of the features' quantiles; empty if none has any
  std::string vocabulary;                    ///< digest of the data's vocabulary; empty without one
  std::string seal = {};  ///< seal of the state.h5 whose state the model has; empty for checkpoints of version 1
};
/// Returns the facts of a checkpoint. Throws Error if an attribute is missing or does not fit.
TrainedFacts facts_of(const store::OpenCheckpoint& checkpoint);
/// Returns the number of rows that a checkpoint holds of a growing table.
Index held_rows(const store::Manifest& checkpoint, const embedding::EmbeddingBagConfig& table);
/// Returns the first thing by which two models give other scores from the same weights and request, such as
/// "model.activation" or "the vocabulary"; empty if there is none. Keys of the training alone do not count.
std::string model_difference(const TrainedFacts& a, const TrainedFacts& b);

/// Returns the precision of scores of a name. Throws Error that lists all names if there is none.
products::Precision served_precision_named(const std::string& name);
/// Returns the precision in which a model that was trained in `trained` is scored: fp32 instead of a GPU's tf32.
products::Precision served_precision(products::Precision trained);

/// File of a model folder, with the checksum of file_checksum().
struct FolderFile {
  std::string name;
  Index bytes = 0;
  std::uint64_t checksum = 0;
};
/// Rows of a table in a model folder.
struct FolderTable {
  std::string name;
  Index rows = 0, dim = 0;
  ServedFormat format = ServedFormat::fp32;
  FolderFile file = {};
  std::optional<FolderFile> ids = {};      ///< rows of the ids of a growing table (IdRows), which may have no rows
  RowErrors errors = {};                   ///< errors of all rows, measured when they were written
  std::vector<std::string> features = {};  ///< features that are looked up, for readers of the manifest, as the rest
  std::string pooling = "sum";             ///< "sum" or "mean"
  bool weighted = false;
};
/// Tensor of the network. The tensors lie in their file one after the other as fp32, row-major.
struct FolderTensor {
  std::string name;
  Index rows = 0, columns = 0;
};

/// Vocabulary of a feature in a model folder (VocabularyFile).
struct FolderVocabulary {
  std::string feature;
  Index rows = 0;  ///< ids, id 0 included
  FolderFile file = {};
};

/// Content of a model folder's manifest.json.
struct ModelManifest {
  TrainedFacts facts;
  std::string weights_digest;  ///< digest of the weights before they were rounded, as `tesserec train` shows it
  std::optional<products::Precision> mlp;  ///< precision of matrix products; none in version 1: the deck's
  std::vector<FolderTable> tables;
  FolderFile network;
  std::vector<FolderTensor> tensors;
  /// Vocabularies that raw values in requests need, empty if all ids are hashed; none if the model takes no raw values.
  std::optional<std::vector<FolderVocabulary>> raw = {};
  std::string no_raw = {};  ///< why it takes none
};

/// Returns the text of manifest.json.
std::string model_manifest_text(const ModelManifest& manifest);
/// Returns whether a folder has a manifest of the model format.
bool is_model_folder(const std::string& folder);
/// Reads FOLDER/manifest.json. Throws Error if it is missing, damaged, or of a newer version.
ModelManifest read_model_manifest(const std::string& folder);
/// Throws Error that names a file of a model folder if the manifest says another size or checksum than `found`.
void require_same(const std::string& folder, const FolderFile& file, const store::FileChecksum& found);
/// Reads a file of a model folder. Throws Error that names it if it is damaged.
void require_file(const std::string& folder, const FolderFile& file);
/// Reads all files of a model folder and compares them with its manifest, which it returns. Throws Error that names a
/// damaged file.
ModelManifest verify_model_folder(const std::string& folder);

}  // namespace tesserec::scoring
