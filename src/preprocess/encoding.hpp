// SPDX-License-Identifier: Apache-2.0
/// Encoding of tokens as ids and of numbers as dense features: learned from training files, or read from a dataset.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "survey.hpp"
#include "transforms.hpp"
#include "vocabulary.hpp"
#include <tesserec/comm/communicator.hpp>
#include <tesserec/parallel_io/parted_writer.hpp>

namespace tesserec::preprocess {

/// Name of the dataset attribute with FeatureForm::rule() of each feature; absent if all have a vocabulary.
inline constexpr const char* rules_attribute = "encodings";
/// Name of the dataset attribute with Encoding::bases.
inline constexpr const char* bases_attribute = "vocabulary_extends";

/// Encoding of the columns of a layout.
struct Encoding {
  RowLayout layout;
  std::vector<NumberTransform> transforms;  ///< transforms of the dense features [K]
  std::vector<Vocabulary> vocabularies;     ///< vocabularies of the sparse features [F]; without tokens if hashed
  Index minimum_count = 1;
  std::vector<Index> values;       ///< distinct values in the training files [F], 0 if not counted; empty without them
  std::vector<std::string> bases;  ///< digests of the vocabularies that this one extends, oldest first
  std::vector<Index> base_rows;    ///< rows before extend_encoding() [F]; empty without such a call
  /// Different values of the training files that share their id with another, if ids are hashed into rows, else 0 [F].
  /// Empty without training files.
  std::vector<Index> collisions = {};

  /// Returns the id of a value of feature f; without a vocabulary for hashed ids. 0 means unknown or missing.
  Index id(std::size_t f, const std::optional<std::string_view>& token) const {
    const FeatureForm& form = layout.forms[f];
    if (form.hashed()) return token ? hashed_id(*token, form.max_rows) : 0;
    return vocabularies[f].id(token);
  }

  /// Returns the transform of each dense feature as the dataset stores it [K].
  std::vector<std::string> transform_descriptions() const;
  /// Returns the bounds of the ids [F], exclusive: rows of the vocabularies or of hashed ids, or data::any_id.
  std::vector<Index> rows() const;
  /// Returns the value of id 1, the most frequent, of each feature [F], quoted for messages; "" if no value has an id.
  std::vector<std::string> known_values() const;
  /// Returns the digest of all vocabularies. Datasets with equal digests share their ids.
  std::string vocabulary_digest() const;
};

/// Learns vocabularies and transforms from the training files' survey, and clears the survey's tokens. Collective.
Encoding learn_encoding(const comm::Communicator& comm, Survey& train, const RowLayout& layout, Index minimum_count);

/// Reads the encoding of the dataset `path`. Throws Error if it has no vocabulary or does not fit `layout`: its
/// columns, their transforms and, if `labelled`, the label values. Collective.
Encoding read_encoding(const comm::Communicator& comm, const std::string& path, const RowLayout& layout, bool labelled);

/// Extends the vocabularies by the training files' values that have no id and occur at least minimum_count times.
/// Clears the survey's tokens. Collective.
void extend_encoding(const comm::Communicator& comm, Survey& train, Index minimum_count, Encoding& encoding);

/// Reads the raw files again, writes them as dataset `path` (docs/formats.md) and leaves publish() to the caller. Adds
/// the counts of the columns to the survey's report. Writes keys only without a vocabulary. Collective.
std::unique_ptr<parallel_io::PartedWriter> write_dataset(const comm::Communicator& comm, const std::string& path,
                                                         Survey& survey, const RowFormat& format,
                                                         const Encoding& encoding, bool with_vocabulary,
                                                         const Settings& settings);

}  // namespace tesserec::preprocess
