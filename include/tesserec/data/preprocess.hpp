// SPDX-License-Identifier: Apache-2.0
/// Raw click logs -> HDF5 data sets (format: src/data/README.md). Every rank reads its share of the text
/// twice: once to count, once to write. The files have the same bytes for any number of ranks.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/data/settings.hpp>

namespace tesserec::data {

/// Bound for warnings: a float does not hold units beyond it, and weights of common size do not learn from them.
inline constexpr double large_number = 1e9;

/// Counts of a column's values in one raw file.
struct ColumnCounts {
  Index missing = 0;  ///< rows without a value
  Index unknown = 0;  ///< category: values without an id, seen fewer than minimum_count times in training
  Index clipped = 0;  ///< number under log1p: below 0, taken as 0
  Index large = 0;    ///< number: of magnitude large_number or more behind its transform

  /// Share of the values that are there; 0 where none is.
  double unknown_share(Index rows) const { return rows > missing ? double(unknown) / double(rows - missing) : 0.0; }
  ColumnCounts& operator+=(const ColumnCounts& other);
};

/// Yield of one raw file.
struct FileReport {
  std::string path;
  Index bytes = 0;                    ///< on disk
  Index rows = 0;                     ///< good ones
  Index bad_rows = 0;                 ///< left out (bad_rows = "skip")
  Index unlabelled = 0;               ///< of those: rows without a label
  std::vector<std::string> bad;       ///< the first 5 of them, of rows to score the first 100, "file:line: reason"
  std::vector<ColumnCounts> columns;  ///< [K + F] dense features, then sparse features
  std::vector<std::string> unknown;   ///< [F] the first value without an id, quoted; empty where there is none
};

/// Content of one data set file.
struct DatasetReport {
  std::string output;             ///< path; empty when there is none
  Index rows = 0;                 ///< samples N
  std::array<Index, 2> labels{};  ///< samples with label 0, with label 1
  Index labels_unread = 0;        ///< of rows to score: those that have a label all the same
  std::vector<FileReport> files;

  Index bad_rows() const;
  /// Counts of all files together.
  ColumnCounts column(std::size_t number) const;
};

struct PreprocessReport {
  DatasetReport train;
  DatasetReport evaluate;
  DatasetReport predict;
  std::vector<std::string> dense_features;
  std::vector<std::string> transforms;  ///< of the dense features, with what was measured: "standardise mean=.. sd=.."
  std::vector<std::string> features;
  std::vector<Index> values;   ///< different values of each feature in the training files; empty without such files
  std::vector<Index> ids;      ///< vocabulary size of each feature, id 0 included
  std::string vocabulary;      ///< data set whose vocabulary was used; empty: the training files taught it
  std::vector<Index> new_ids;  ///< [F] ids behind those of `vocabulary`, where it was extended
  double max_unknown = 1;      ///< of the settings
  double seconds = 0;
};

/// Writes <output>/train.h5, evaluate.h5 and predict.h5 for the raw files given; all are renamed at the end, or none.
/// Collective; an Error is the same on every rank: also bad rows if settings say stop, a vocabulary that does not fit
/// the columns, and a share of unknown values above max_unknown in a file that teaches no ids.
PreprocessReport preprocess(const comm::Communicator& comm, const PreprocessSettings& settings);

/// The report as lines for a person: files, then a table of the columns.
std::vector<std::string> summary(const PreprocessReport& report);

/// Returns warnings: large unscaled numbers, columns mostly missing in evaluation alone, categories mostly dropped.
std::vector<std::string> warnings(const PreprocessReport& report);

}  // namespace tesserec::data
