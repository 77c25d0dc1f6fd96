// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::raw {

/// Choices of raw rows: format of the files, treatment of short rows, kind and transform of a column.
enum class RawFormat { criteo, table };
enum class ShortRows { stop, pad };
enum class ColumnKind { label, weight, number, category, time, key, skip };
enum class Transform { none, log1p, standardise };

/// Ids of the texts of a category: rows of the vocabulary that the training files teach, or hashes.
enum class IdForm { vocabulary, hashed };

/// Largest Column::max_rows, so that ids have 32 bits.
inline constexpr Index largest_hashed_rows = (Index{1} << 31) - 1;

/// Largest Column::quantiles.
inline constexpr Index most_quantiles = 1000;

/// Block [[preprocess.column]]: one column of a delimited table, in file order if files have no header.
struct Column {
  std::string name;  ///< name; with a header, '*' stands for any text, and the name for all matching columns
  ColumnKind kind = ColumnKind::skip;
  Transform transform = Transform::none;       ///< transform of numbers: log1p of max(x, 0), or (x - mean) / standard
                                               ///< deviation
  std::vector<std::string> positive = {};      ///< label texts that mean 1
  std::vector<std::string> negative = {};      ///< label texts that mean 0
  std::optional<double> threshold = {};        ///< smallest label number that means 1, instead of texts
  bool optional = false;                       ///< true if rows may lack this one of several labels
  std::optional<double> fill_value = {};       ///< replacement of a missing number, before the transform
  std::optional<bool> missing_indicator = {};  ///< true if a number adds a dense feature NAME_missing, 1 if missing
  std::string separator = {};  ///< character between the values of a category; empty = a field is one value
  bool weighted = false;       ///< true if values of a field may end in ":WEIGHT"
  Index max_values = 0;        ///< values of a field that are kept; 0 = all
  IdForm ids = IdForm::vocabulary;
  Index max_rows = 0;                   ///< rows into which ids are hashed; 0 = ids of 64 bits
  std::vector<double> buckets = {};     ///< borders between the values of a category made from a number
  Index quantiles = 0;                  ///< such buckets, with equally many training rows each; 0 = none
  std::vector<std::string> cross = {};  ///< features whose values, together, are the value of a category
  std::string time = "epoch";           ///< form of a time (parse_time)
  bool stored = false;                  ///< true if a time is stored with the rows, for training in the order of time
  std::vector<std::string> parts = {"hour", "weekday", "day"};  ///< categories made from a time

  /// Returns whether the column is a category whose values are the buckets of a number.
  bool bucketed() const { return !buckets.empty() || quantiles != 0; }
};

/// Block [[preprocess.sequence]]: a category whose values are the last items of the row's user before the row.
struct UserSequence {
  std::string name;               ///< name of the feature
  std::string user;               ///< column of the users
  std::string item;               ///< category with one value, whose texts are the items
  std::string time;               ///< column of kind time
  Index length = 20;              ///< items that are kept, the last ones
  Index memory = Index{1} << 30;  ///< bytes that each rank sorts in memory; more go to scratch files in `output`
};

/// Keys of [preprocess] that say what a raw row is.
struct RowSettings {
  RawFormat format = RawFormat::criteo;
  ShortRows short_rows = ShortRows::stop;  ///< pad: fills rows whose trailing delimiters were cut with empty fields
  std::vector<UserSequence> sequences;
  std::vector<Column> columns;      ///< columns of the raw files (format = "table")
  std::string delimiter = ",";      ///< one character (format = "table")
  bool header = false;              ///< true if the first line of each file names the columns (format = "table")
  bool skip_other_columns = false;  ///< true = skips columns of the header that no Column names (format = "table")
  bool trim = true;                 ///< true = drops spaces around a field (format = "table")
  bool quotes = true;               ///< true if a field may stand in double quotes (format = "table")
  bool quoted_newlines = false;     ///< true if quoted fields may hold line breaks; then one rank reads a whole file
  std::string comment;              ///< beginning of lines that are no rows; empty = there are none
  /// Texts that mean a missing value (format = "table").
  std::vector<std::string> missing = {"", "?", "NA", "NULL", "NaN", "nan", "None", "\\N"};
  std::optional<double> fill_value;  ///< default of Column::fill_value
  bool missing_indicator = false;    ///< default of Column::missing_indicator
};

}  // namespace tesserec::raw
