// SPDX-License-Identifier: Apache-2.0
/// Encoding of tokens as ids and of numbers as dense features: learned from training files, or read from a dataset.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "survey.hpp"
#include "vocabulary.hpp"
#include <tesserec/comm/communicator.hpp>
#include <tesserec/parallel_io/parted_writer.hpp>
#include <tesserec/preprocess/report.hpp>
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/transforms.hpp>

namespace tesserec::preprocess {

/// Name of the dataset attribute with FeatureForm::rule() of each feature; absent if all have a vocabulary.
inline constexpr const char* rules_attribute = "encodings";
/// Name of the dataset attribute with the form and the name of each column of times, "iso when"; absent without any.
inline constexpr const char* times_attribute = "time_forms";
/// Name of the dataset attribute with Encoding::bases.
inline constexpr const char* bases_attribute = "vocabulary_extends";

/// Encoding of the columns of a layout.
struct Encoding {
  RowLayout layout;
  std::vector<NumberTransform> transforms;  ///< transforms of the dense features [K]
  std::vector<Vocabulary> vocabularies;     ///< vocabularies of the sparse features [F]; without tokens if hashed
  std::string vocabulary_digest;            ///< digest of all vocabularies; datasets with equal ones share their ids
  Index minimum_count = 1;
  std::vector<Index> values;       ///< distinct values in the training files [F], 0 if not counted; empty without them
  std::vector<std::string> bases;  ///< digests of the vocabularies that this one extends, oldest first
  std::vector<Index> base_rows;    ///< rows before extend_encoding() [F]; empty without such a call
  std::vector<Index> known = {};  ///< distinct values in the training files that had an id before extend_encoding() [F]
  std::vector<ChangedTime> changed_times = {};  ///< times that the dataset with the vocabulary has in another form
  /// Different values of the training files that share their id with another, if ids are hashed into rows, else 0 [F].
  /// Empty without training files.
  std::vector<Index> collisions = {};

  /// Returns the transform of each dense feature as the dataset stores it [K].
  std::vector<std::string> transform_descriptions() const;
  /// Returns the bounds of the ids [F], exclusive: rows of the vocabularies or of hashed ids, or any_id.
  std::vector<Index> rows() const;
  /// Returns the value of id 1, the most frequent, of each feature [F], quoted for messages; "" if no value has an id.
  std::vector<std::string> known_values() const;
  /// Returns whether all vocabularies are in memory.
  bool resident() const;
};

class ScratchFolder;

/// Place and limits of the learning of vocabularies.
struct Learning {
  const ScratchFolder& scratch;
  Index minimum_count = 1;
  Index memory = 0;  ///< memory of this rank, bytes
};

/// Learns vocabularies and transforms from the training files' survey. Collective.
Encoding learn_encoding(const comm::Communicator& comm, const Survey& train, const RowLayout& layout,
                        const Learning& learning);

/// Returns the path of the dataset whose vocabulary is used, or "" if the training files teach one. Throws Error for
/// keys that contradict each other.
std::string vocabulary_of(const Settings& settings, const std::string& train_path);

/// Reads the encoding of the dataset `path`. Throws Error if it has no vocabulary or does not fit `layout`: its
/// columns, their transforms and, if `labelled`, the label values. Collective.
Encoding read_encoding(const comm::Communicator& comm, const std::string& path, const RowLayout& layout, bool labelled);

/// Sets the borders of the format's columns with quantiles to those of the dataset `path`. Throws Error if it has none
/// of a column, or of another number of quantiles. Collective.
void read_borders(const comm::Communicator& comm, const std::string& path, RowFormat& format);

/// Extends the vocabularies by the training files' values that have no id and occur at least minimum_count times.
/// Collective.
void extend_encoding(const comm::Communicator& comm, const Survey& train, const Learning& learning, Encoding& encoding);

/// Returns the digest of the encoding's vocabularies, of which each rank reads a share. Collective.
std::string vocabulary_digest(const comm::Communicator& comm, const RowLayout& layout,
                              const std::vector<Vocabulary>& vocabularies);

/// Returns the forms of the layout's columns of times as datasets store them (times_attribute).
std::vector<std::string> time_forms(const RowLayout& layout);

/// Writes the vocabularies, each rank the rows of its own parts, a few slabs at once. Collective.
void write_vocabulary(parallel_io::PartedWriter& writer, const comm::Communicator& comm, const Encoding& encoding,
                      std::size_t first);

/// Rules by which a dataset is written.
struct WriteRules {
  const ScratchFolder& scratch;  ///< folder with the work of the first reading
  std::string name;              ///< name of the data set, for progress
  bool with_vocabulary = false;
  Index part_bytes = 0;
  double lock_wait = 0;
  Index memory = 0;       ///< memory of this rank, bytes
  bool all_rows = false;  ///< read all rows, those that an earlier start wrote, too, so that all are judged
};

/// Reads the raw files again, writes them as dataset `path` (docs/formats.md) and leaves publish() to the caller. Adds
/// the counts of the columns to the survey's report. Writes keys only without a vocabulary. Collective.
std::unique_ptr<parallel_io::PartedWriter> write_dataset(const comm::Communicator& comm, const std::string& path,
                                                         Survey& survey, const RowFormat& format,
                                                         const Encoding& encoding, const WriteRules& rules);

}  // namespace tesserec::preprocess
