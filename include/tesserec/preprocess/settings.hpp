// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::preprocess {

/// Choices of [preprocess]: format of raw files, treatment of bad and short rows, kind and transform of a column.
enum class RawFormat { criteo, table };
enum class BadRows { stop, skip };
enum class ShortRows { stop, pad };
enum class ColumnKind { label, weight, number, category, time, key, skip };
enum class Transform { none, log1p, standardise };

/// Ids of the texts of a category: rows of the vocabulary that the training files teach, or hashes.
enum class IdForm { vocabulary, hashed };

/// Texts of times: seconds or milliseconds since 1970, ISO 8601 or YYMMDDHH.
enum class TimeForm { epoch, epoch_ms, iso, yymmddhh };

/// Largest Column::max_rows, so that ids have 32 bits.
inline constexpr Index largest_hashed_rows = (Index{1} << 31) - 1;

/// Block [[preprocess.column]]: one column of a delimited table, in file order if files have no header.
struct Column {
  std::string name;  ///< name; with a header, '*' stands for any text, and the name for all matching columns
  ColumnKind kind = ColumnKind::skip;
  Transform transform = Transform::none;       ///< transform of numbers: log1p of max(x, 0), or (x - mean) / standard
                                               ///< deviation
  std::vector<std::string> positive = {};      ///< label texts that mean 1
  std::vector<std::string> negative = {};      ///< label texts that mean 0
  std::optional<double> threshold = {};        ///< smallest label number that means 1, instead of texts
  std::optional<double> fill_value = {};       ///< replacement of a missing number, before the transform
  std::optional<bool> missing_indicator = {};  ///< true if a number adds a dense feature NAME_missing, 1 if missing
  std::string separator = {};  ///< character between the values of a category; empty = a field is one value
  bool weighted = false;       ///< true if values of a field may end in ":WEIGHT"
  Index max_values = 0;        ///< values of a field that are kept; 0 = all
  IdForm ids = IdForm::vocabulary;
  Index max_rows = 0;                   ///< rows into which ids are hashed; 0 = ids of 64 bits
  std::vector<double> buckets = {};     ///< borders between the values of a category made from a number
  std::vector<std::string> cross = {};  ///< features whose values, together, are the value of a category
  TimeForm time = TimeForm::epoch;      ///< form of a time
  bool stored = false;                  ///< true if a time is stored with the rows, for training in the order of time
  std::vector<std::string> parts = {"hour", "weekday", "day"};  ///< categories made from a time
};

/// Rules that divide the rows of Settings::train: by a hash, at a time, at a day, or each user's last row.
enum class SplitBy { none, hash, time, day, last };

/// Block [preprocess.split]: which rows of the raw training files become evaluation rows.
struct SplitSettings {
  SplitBy by = SplitBy::none;
  std::string column;  ///< hash: column whose equal texts stay together; empty = the whole row. last: column of users
  std::string time;    ///< column of kind time; last: empty = the order of the files
  double fraction = 0.1;  ///< hash, time: share of the rows that become evaluation rows
  Index days = 1;         ///< day: last days whose rows become evaluation rows
};

/// Block [[preprocess.join]]: a side table, whose columns are joined to the rows by a key (a left join).
struct Join {
  std::string file;                       ///< delimited text, plain or .gz, or Parquet; a pattern for several files
  std::vector<std::string> on;            ///< columns of the key
  std::vector<std::string> file_on = {};  ///< their names in the side table; empty = the same
  std::vector<std::string> columns = {};  ///< columns that it brings, each of which has a Column
  std::vector<std::string> names = {};    ///< columns of a side table without a header; empty = its first line has them
  std::string delimiter = {};             ///< one character; empty = Settings::delimiter
  Index memory = Index{1} << 30;          ///< largest memory of the side table on each rank, bytes
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

/// Block [preprocess].
struct Settings {
  std::vector<std::string> train;     ///< raw files or globs, plain, .gz or .zst
  std::vector<std::string> evaluate;  ///< raw files or globs, encoded by the training vocabulary
  std::vector<std::string> predict;   ///< raw files or globs, whose labels are not read and may lack
  /// Dataset whose vocabulary and transforms replace learned ones. Empty without training files = <output>/train.h5.
  std::string vocabulary;
  bool extend = false;  ///< true if training values that the vocabulary lacks get new ids after its own
  RawFormat format = RawFormat::criteo;
  std::string output;  ///< folder for train.h5, evaluate.h5 and predict.h5
  BadRows bad_rows = BadRows::stop;
  ShortRows short_rows = ShortRows::stop;  ///< pad: fills rows whose trailing delimiters were cut with empty fields
  Index minimum_count = 1;                 ///< count in training below which a value's id becomes 0
  SplitSettings split;
  std::vector<Join> joins;
  std::vector<UserSequence> sequences;
  std::vector<std::string> history;  ///< raw files or globs that are only read for sequences
  std::vector<Column> columns;       ///< columns of the raw files (format = "table")
  std::string delimiter = ",";       ///< one character (format = "table")
  bool header = false;               ///< true if the first line of each file names the columns (format = "table")
  bool skip_other_columns = false;   ///< true = skips columns of the header that no Column names (format = "table")
  bool trim = true;                  ///< true = drops spaces around a field (format = "table")
  bool quotes = true;                ///< true if a field may stand in double quotes (format = "table")
  bool quoted_newlines = false;      ///< true if quoted fields may hold line breaks; then one rank reads a whole file
  std::string comment;               ///< beginning of lines that are no rows; empty = there are none
  /// Texts that mean a missing value (format = "table").
  std::vector<std::string> missing = {"", "?", "NA", "NULL", "NaN", "nan", "None", "\\N"};
  std::optional<double> fill_value;  ///< default of Column::fill_value
  bool missing_indicator = false;    ///< default of Column::missing_indicator
  bool strict = false;               ///< true if warnings and errors of the verdict end the run, and nothing is written
  double max_unknown = 0.9;  ///< largest share of a category's values without an id in an evaluation file; 1 = no limit
  Index part_bytes = 0;      ///< bytes of a file above which a dataset is cut (run.part_bytes); 0 = automatic
  double lock_wait = 60;     ///< seconds to wait for another job that writes the same files (run.lock_wait)
  /// Memory of all ranks together for token counts and vocabularies, bytes; 0 = half of what the job may use. What does
  /// not fit stands on scratch files in `output`.
  Index memory = 0;
};

}  // namespace tesserec::preprocess
