// SPDX-License-Identifier: Apache-2.0
/// Encoding of tokens as ids and of numbers as dense features: learned from training files, or read from a data set.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "survey.hpp"
#include "transforms.hpp"
#include "vocabulary.hpp"
#include <tesserec/comm/communicator.hpp>
#include <tesserec/parallel_io/parted_writer.hpp>

namespace tesserec::data {

/// Attribute of a data set with Encoding::bases.
inline constexpr const char* bases_attribute = "vocabulary_extends";

struct Encoding {
  RowLayout layout;
  std::vector<NumberTransform> transforms;  ///< [K]
  std::vector<Vocabulary> vocabularies;     ///< [F]
  Index minimum_count = 1;
  std::vector<Index> values;       ///< [F] different ones in the training files; empty without such files
  std::vector<std::string> bases;  ///< digests of the vocabularies that this one extends, oldest first
  std::vector<Index> base_rows;    ///< [F] rows of the newest of them; empty without

  std::vector<std::string> transform_descriptions() const;
  std::vector<Index> rows() const;
  /// Lists each feature's most frequent value, as messages show it; empty where no value has an id.
  std::vector<std::string> known_values() const;
  /// Returns the digest of all vocabularies: the same in train.h5 and evaluate.h5 when they belong together.
  std::string vocabulary_digest() const;
};

/// Learns what the training files teach. Takes the survey's tokens. Collective.
Encoding learn_encoding(const comm::Communicator& comm, Survey& train, const RowLayout& layout, Index minimum_count);

/// Reads what preprocess wrote into a data set with a vocabulary. Error: the file is none, or does not fit the columns
/// of `layout`: others, other transforms, other labels where `labelled`. Collective.
Encoding read_encoding(const comm::Communicator& comm, const std::string& path, const RowLayout& layout, bool labelled);

/// Gives values of the training files that have no id the ids behind the others. Collective.
void extend_encoding(const comm::Communicator& comm, Survey& train, Index minimum_count, Encoding& encoding);

/// Reads the raw files again and writes them as data set `path` (docs/formats.md) but for its publish(). Adds to the
/// survey's report what became of the columns. Keys go into data sets without a vocabulary. Collective.
std::unique_ptr<parallel_io::PartedWriter> write_dataset(const comm::Communicator& comm, const std::string& path,
                                                         Survey& survey, const RowFormat& format,
                                                         const Encoding& encoding, bool with_vocabulary,
                                                         const PreprocessSettings& settings);

}  // namespace tesserec::data
