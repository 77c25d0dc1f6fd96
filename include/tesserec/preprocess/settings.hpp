// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/raw/settings.hpp>

namespace tesserec::preprocess {

using namespace tesserec::raw;

/// Treatment of bad rows.
enum class BadRows { stop, skip };

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

/// Block [preprocess].
struct Settings : raw::RowSettings {
  std::vector<std::string> train;     ///< raw files or globs, plain, .gz or .zst
  std::vector<std::string> evaluate;  ///< raw files or globs, encoded by the training vocabulary
  std::vector<std::string> predict;   ///< raw files or globs, whose labels are not read and may lack
  /// Dataset whose vocabulary and transforms replace learned ones. Empty without training files = <output>/train.h5.
  std::string vocabulary;
  bool extend = false;  ///< true if training values that the vocabulary lacks get new ids after its own
  std::string output;   ///< folder for train.h5, evaluate.h5 and predict.h5
  BadRows bad_rows = BadRows::stop;
  Index minimum_count = 1;  ///< count in training below which a value's id becomes 0
  SplitSettings split;
  std::vector<Join> joins;
  std::vector<std::string> history;  ///< raw files or globs that are only read for sequences
  bool strict = false;               ///< true if warnings and errors of the verdict end the run, and nothing is written
  double max_unknown = 0.9;  ///< largest share of a category's values without an id in an evaluation file; 1 = no limit
  Index part_bytes = 0;      ///< bytes of a file above which a dataset is cut (run.part_bytes); 0 = automatic
  double lock_wait = 60;     ///< seconds to wait for another job that writes the same files (run.lock_wait)
  /// Memory of all ranks together for token counts and vocabularies, bytes; 0 = half of what the job may use. What does
  /// not fit stands on scratch files in `output`.
  Index memory = 0;
};

}  // namespace tesserec::preprocess
