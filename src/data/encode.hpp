// SPDX-License-Identifier: Apache-2.0
/// The second reading of the raw files: rows -> HDF5.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "survey.hpp"
#include "transforms.hpp"
#include "vocabulary.hpp"
#include <tesserec/comm/communicator.hpp>
#include <tesserec/store/parted_writer.hpp>

namespace tesserec::data {

/// What the training files taught.
struct Encoding {
  RowLayout layout;
  std::vector<NumberTransform> transforms;  ///< [K]
  std::vector<Vocabulary> vocabularies;     ///< [F]
  Index minimum_count = 1;
  std::vector<Index> values;  ///< [F] different ones in the training files

  std::vector<std::string> transform_descriptions() const;
  std::vector<Index> rows() const;
  /// Of each feature its most frequent value, as messages show it; empty where no value has an id.
  std::vector<std::string> known_values() const;
  /// Of all vocabularies: the same in train.h5 and evaluate.h5 when they belong together.
  std::string vocabulary_digest() const;
};

/// Writes the data set `path` (format: docs/formats.md) but for its publish(), and adds to the survey's report what
/// became of the columns. Collective.
std::unique_ptr<store::PartedWriter> write_dataset(const comm::Communicator& comm, const std::string& path,
                                                   Survey& survey, const RowFormat& format, const Encoding& encoding,
                                                   bool with_vocabulary, const PreprocessSettings& settings);

}  // namespace tesserec::data
