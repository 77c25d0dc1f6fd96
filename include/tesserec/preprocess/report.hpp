// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/side_columns.hpp>
#include <tesserec/verdict/facts.hpp>
#include <tesserec/verdict/finding.hpp>

namespace tesserec::preprocess {

/// Magnitude from which a number causes a warning. A float does not resolve units beyond it, and weights of common size
/// do not learn from it.
inline constexpr double large_number = 1e9;

/// Attribute of a dataset that has one side of split raw files, and says which.
inline constexpr const char* split_attribute = "split";

/// Counts of a column's values in one raw file.
struct ColumnCounts {
  Index missing = 0;  ///< rows without a value
  Index unknown = 0;  ///< category values without an id: seen fewer than minimum_count times in training
  Index clipped = 0;  ///< numbers below 0 under log1p, taken as 0, or rows whose values Column::max_values cut
  Index large = 0;    ///< numbers of magnitude large_number or more after their transform
  Index values = 0;   ///< category values that are present and kept
  Index cut = 0;      ///< category values that Column::max_values cut

  /// Returns unknown values as a share of the values present; 0 if none is present.
  double unknown_share() const { return values > 0 ? double(unknown) / double(values) : 0.0; }
  ColumnCounts& operator+=(const ColumnCounts& other);
};

/// Value of a category and how often it occurs.
struct ValueCount {
  std::string value;  ///< quoted for a person
  Index count = 0;
};

/// Counts of one raw file.
struct FileReport {
  std::string path;
  Index bytes = 0;                            ///< size on disk, bytes
  Index rows = 0;                             ///< valid rows
  Index bad_rows = 0;                         ///< invalid rows, left out (bad_rows = "skip")
  Index unlabeled = 0;                        ///< bad rows without a label
  std::map<std::string, Index> reasons = {};  ///< bad rows by reason, "..." in it for values
  std::vector<std::string> bad;  ///< first 5 bad rows, or first 100 of data to predict, "file:line: reason"
  /// Counts of the dense features, of the sparse features, and of the keys of the joins [K + F + J]. A key is unknown
  /// if the side table lacks it.
  std::vector<ColumnCounts> columns;
  std::vector<std::string> unknown;  ///< first unknown value of each feature and key, quoted [F + J]; empty = none
};

/// Content of one dataset file.
struct DatasetReport {
  std::string output;                 ///< path; empty if no file was written
  Index rows = 0;                     ///< samples N
  std::array<Index, 2> labels{};      ///< samples with label 0 and with label 1, of the first label
  std::vector<Index> further_labels;  ///< the same of each further label [2 (T - 1)]
  std::vector<std::string> tasks;     ///< names of the labels [T] if there are several
  Index labels_unread = 0;            ///< labels present in the raw rows to predict, but not read
  std::vector<FileReport> files;
  verdict::SetFacts facts;  ///< facts for the verdict
  /// Most frequent values of each feature with a vocabulary [F]: those with ids 1 to 3, which training ordered.
  std::vector<std::vector<ValueCount>> top;

  /// Returns the samples with 0 and with 1 of label `task`.
  std::array<Index, 2> label_counts(std::size_t task) const;
  /// Returns the bad rows of all files.
  Index bad_rows() const;
  /// Sums the counts of column `number` over all files.
  ColumnCounts column(std::size_t number) const;
};

/// Division of the raw training files by [preprocess.split].
struct SplitReport {
  std::string rule;               ///< such as "time"; empty = there is none
  std::string border;             ///< first time or day of the evaluation rows; empty for rules without one
  Index train = 0, evaluate = 0;  ///< rows
  Index untimed = 0;              ///< training rows because they lack a time
  Index unnamed = 0;              ///< training rows because they lack the user
  Index users = 0;                ///< users, if their last rows are evaluation rows
  Index single = 0;               ///< of these, users with one row, which stays a training row
};

/// Returns the division as a line for a person.
std::string description(const SplitReport& report);

/// Column of times whose texts have another form in the dataset whose vocabulary was used.
struct ChangedTime {
  std::string column;
  std::string form;    ///< as the deck has it, such as "epoch"
  std::string before;  ///< form in the dataset
};

/// Result of run().
struct PreprocessReport {
  DatasetReport train;
  DatasetReport evaluate;
  DatasetReport predict;
  SplitReport split;
  std::vector<JoinedTable> joins;
  std::vector<Index> unsequenced;   ///< rows of all files without a user or a time, of each sequence
  std::vector<FileReport> history;  ///< rows of the files that are only read for sequences
  std::vector<std::string> dense_features;
  std::vector<std::string> transforms;  ///< transforms of the dense features with their statistics, "standardise
                                        ///< mean=.. sd=.."
  std::vector<std::string> features;
  std::vector<std::string> borders;  ///< raw::borders_text() of the features with quantiles, else "" [F]
  std::vector<std::string> kinds;    ///< kinds of the features: "category", "bag", "hashed", "hashed bag" [F]
  std::vector<Index> values;  ///< distinct values of each feature in the training files [F], 0 if not counted; empty
                              ///< without such files
  std::vector<Index> collisions;  ///< of these, values that share their hashed id with another [F]
  std::vector<Index> ids;         ///< vocabulary size of each feature, id 0 included [F]
  std::string vocabulary;         ///< dataset whose vocabulary was used; empty if the training files taught it
  std::vector<Index> new_ids;     ///< ids added to those of `vocabulary` [F]; empty unless it was extended
  std::vector<Index> known;       ///< distinct values in the training files that `vocabulary` has [F], if extended
  std::vector<ChangedTime> changed_times;
  double max_unknown = 1;  ///< Settings::max_unknown
  std::vector<verdict::Finding> findings;
  double seconds = 0;
};

/// Returns the report as lines for a person: files, then a table of the columns, without the findings.
std::vector<std::string> summary(const PreprocessReport& report);

}  // namespace tesserec::preprocess
