// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/embedding/settings.hpp>
#include <tesserec/raw/settings.hpp>
#include <tesserec/scoring/model_folder.hpp>
#include <tesserec/scoring/owned_samples.hpp>

namespace tesserec::scoring {

/// Feature that a model's tables look up.
struct ServedFeature {
  std::string name;
  bool weighted = false;  ///< true if a table reads the weights of its ids
};

/// Lists the features that tables look up, each once, in the order of their first use.
std::vector<ServedFeature> served_features(const std::vector<embedding::EmbeddingBagConfig>& tables);

/// Column whose raw values a request gives.
struct RawColumn {
  std::string name;
  raw::ColumnKind kind = raw::ColumnKind::category;
  std::string separator = {};  ///< character between the values of a text; empty = a text is one value
  bool numbers = false;        ///< true if its texts are numbers: of kind number, or a category made by buckets
  std::string missing = {};    ///< text of a missing value; empty also if there is none
};

/// Character between the items of a sequence in one text, the unit separator of ASCII.
inline constexpr const char* item_separator = "\x1F";

/// Raw values of a column: the text of sample s is bytes [offsets[s], offsets[s + 1]). `shared`: there is one text,
/// with offsets [2], which all samples have. No offsets: all are missing.
struct RawTexts {
  const char* bytes = nullptr;
  const Index* offsets = nullptr;
  bool shared = false;
};

/// Counts of raw values.
struct RawCounts {
  std::vector<Index> missing = {};  ///< samples without a value [raw columns]
  std::vector<Index> clipped = {};  ///< numbers below 0 that log1p takes as 0 [raw columns]
  std::vector<Index> values = {};   ///< values of each feature that are there [features]
  std::vector<Index> unknown = {};  ///< of these, values that have no id in the vocabulary [features]
  std::vector<Index> cut = {};      ///< values beyond max_values, left out [features]
  RawCounts& operator+=(const RawCounts& other);
};

/// Encoder of raw values: it makes the ids and the dense numbers that `tesserec preprocess` makes of the same texts,
/// with the model folder's vocabularies and the transforms of the training data. Threads may call it at once.
class RawInputs {
 public:
  /// Maps the vocabularies of a model folder. `features`: those of the model, with whether a table reads their weights.
  /// Throws Error if a file is missing or of another size, or the deck's columns do not make the model's inputs.
  RawInputs(const std::string& folder, const ModelManifest& manifest, const std::vector<ServedFeature>& features);
  /// Reads the vocabularies of the training's data set into memory: `dataset`, or if empty one of data.train of the
  /// model's deck. Throws Error with the reason if the model takes no raw values, or no data set does.
  RawInputs(const TrainedFacts& facts, const std::vector<ServedFeature>& features, const std::string& dataset);
  ~RawInputs();

  /// Lists the columns that a request must give.
  const std::vector<RawColumn>& columns() const;
  /// Encodes samples, whose `columns` are in the order of columns(), and adds their counts. What only shared texts make
  /// is shared by the samples. Throws Error that names column, sample and text for one that is no value of its column.
  void encode(Index samples, std::span<const RawTexts> columns, OwnedSamples& to, RawCounts& counts) const;

 private:
  struct Parts;
  /// Lists the columns and throws Error unless each feature that needs a vocabulary has one of the model's ids.
  /// `advice`: what to do if a vocabulary is missing.
  void complete(const TrainedFacts& facts, const std::vector<ServedFeature>& features, const char* advice);

  std::unique_ptr<Parts> parts_;
};

/// Returns whether a model was trained on files with a vocabulary, not on made samples.
bool has_raw_data(const TrainedFacts& facts);
/// Returns the features, among those of a model, whose vocabulary raw values need. Throws Error with the reason if the
/// columns of the deck do not make the model's inputs.
std::vector<std::string> raw_vocabularies(const TrainedFacts& facts, const std::vector<ServedFeature>& features);

}  // namespace tesserec::scoring
