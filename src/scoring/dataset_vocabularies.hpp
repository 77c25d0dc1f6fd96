// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tesserec/scoring/model_folder.hpp>
#include <tesserec/scoring/raw_inputs.hpp>
#include <tesserec/store/parted_file.hpp>

namespace tesserec::scoring {

/// Vocabulary of a feature as a data set stores it. The token of id i is bytes [offsets[i], offsets[i + 1]); id 0 has
/// none.
struct StoredTokens {
  std::vector<Index> offsets;
  std::vector<std::uint8_t> bytes;

  Index rows() const { return std::ssize(offsets) - 1; }
  const char* text() const { return reinterpret_cast<const char*>(bytes.data()); }
};

/// Vocabularies of the data set of a training that raw values need.
class DatasetVocabularies {
 public:
  /// Opens a data set with the vocabulary of a trained model: `dataset`, or if empty one of data.train of its deck.
  /// Opens none if all features are hashed. Throws Error with the reason if the model takes no raw values, or no data
  /// set does.
  DatasetVocabularies(const TrainedFacts& facts, const std::vector<ServedFeature>& features,
                      const std::string& dataset);

  /// Calls take(feature, tokens) for each of them, in the order of the data set's features. Throws Error if the
  /// vocabulary of all features is not that of the training.
  void each(const std::function<void(const std::string&, const StoredTokens&)>& take) const;

 private:
  std::string digest_;  // of the training's vocabulary
  std::vector<std::string> features_;
  std::optional<store::PartedFile> file_;
};

}  // namespace tesserec::scoring
