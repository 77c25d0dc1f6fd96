// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/core/own_keys.hpp>

namespace tesserec::data {

enum class SyntheticKind { none, planted, reference };

/// philox: a sample's numbers depend on seed and sample alone. mt19937: numpy.random's sequence after seed(run.seed).
enum class BitGenerator { philox, mt19937 };

/// [data.synthetic]: samples made on the fly.
struct SyntheticSettings {
  SyntheticKind kind = SyntheticKind::none;
  Index samples = 0;           ///< training samples of an epoch
  Index evaluate_samples = 0;  ///< evaluation samples; planted: a disjoint stream; reference: the same stream
  std::vector<Index> rows;     ///< rows of each table's id space, one feature a table
  Index max_rows = 0;          ///< caps every entry of rows; 0 = no cap
  Index dense_features = 13;
  Index ids_per_bag = 1;  ///< bag length, or the largest when variable
  /// planted: of each feature, in the order of rows, instead of ids_per_bag; empty = all alike. 1 is always one id.
  std::vector<Index> bag_lengths;
  /// planted: length uniform in [0, ids_per_bag], or fixed; reference: 1 to ids_per_bag draws, or always ids_per_bag.
  /// Unset: fixed for planted, variable for reference.
  std::optional<bool> variable_bags;
  double zipf = 1.05;        ///< planted: exponent of the ids' frequency; 0 = uniform
  double click_rate = 0.25;  ///< planted: aimed share of label 1
  double strength = 1.4;     ///< planted: standard deviation of the truth's logit; 1.4 gives a best AUC of about 0.80
  /// planted: a feature of the query and one of the item that meet in the truth by an inner product; empty = none.
  std::vector<std::string> pair;
  double pair_strength = 1.0;  ///< planted: standard deviation of that part, where that of a table is 1
  Index pair_rank = 4;         ///< planted: numbers of each vector of the pair
  bool round_targets = false;  ///< reference: targets rounded to 0 or 1
  BitGenerator bit_generator = BitGenerator::philox;  ///< mt19937: reference, without shuffling
};

/// [data]
struct Settings {
  std::vector<std::string> train;     ///< HDF5 files or globs
  std::vector<std::string> evaluate;  ///< HDF5 files or globs
  std::vector<std::string> predict;   ///< HDF5 files or globs, labels not needed; empty: those of evaluate
  bool trust = false;                 ///< whether they may take numbers from other files
  SyntheticSettings synthetic;
  std::string source;         ///< a type that add_source_type added; empty = files, or synthetic
  OwnValues own_values = {};  ///< of the keys that it registered

  /// Returns the value of one of these keys. Errors as those of OwnValues::get.
  template <class T>
  const T& own(const std::string& key) const {
    return own_values.get<T>(key);
  }
};

enum class RawFormat { criteo, table };
enum class BadRows { stop, skip };
enum class ShortRows { stop, pad };
enum class ColumnKind { label, weight, number, category, key, skip };
enum class Transform { none, log1p, standardise };

/// [[preprocess.column]]: one column of a delimited table, in file order where files have no header.
struct Column {
  std::string name;  ///< with a header it may have '*', which stands for any text: all columns of such names
  ColumnKind kind = ColumnKind::skip;
  Transform transform = Transform::none;       ///< numbers: log1p of max(x, 0), or (x - mean) / standard deviation
  std::vector<std::string> positive = {};      ///< label: texts that mean 1
  std::vector<std::string> negative = {};      ///< label: texts that mean 0
  std::optional<double> fill_value = {};       ///< number: stands for a missing one, before the transform
  std::optional<bool> missing_indicator = {};  ///< number: a dense feature NAME_missing, 1 where it is missing
};

/// [preprocess]
struct PreprocessSettings {
  std::vector<std::string> train;     ///< raw files or globs, plain or .gz
  std::vector<std::string> evaluate;  ///< raw files or globs; they use the training vocabulary
  std::vector<std::string> predict;   ///< the same, of rows whose labels are not read and may lack
  /// Data set whose vocabulary and transforms replace learned ones; without training files, empty is <output>/train.h5.
  std::string vocabulary;
  bool extend = false;  ///< values of the training files that the vocabulary lacks get the ids behind its own
  RawFormat format = RawFormat::criteo;
  std::string output;  ///< folder for train.h5, evaluate.h5 and predict.h5
  BadRows bad_rows = BadRows::stop;
  ShortRows short_rows =
      ShortRows::stop;              ///< pad: rows whose trailing delimiters were cut are filled with empty fields
  Index minimum_count = 1;          ///< ids seen less often in training become 0
  std::vector<Column> columns;      ///< format = "table"
  std::string delimiter = ",";      ///< format = "table": one character
  bool header = false;              ///< format = "table": the first line of each file names the columns
  bool skip_other_columns = false;  ///< format = "table": skip columns of the header that no Column names
  bool trim = true;                 ///< format = "table": drop spaces around a field
  /// format = "table": texts that mean a missing value
  std::vector<std::string> missing = {"", "?", "NA", "NULL", "NaN", "nan", "None", "\\N"};
  std::optional<double> fill_value;  ///< of all number columns that have none of their own
  bool missing_indicator = false;    ///< of all number columns that do not say
  double max_unknown = 0.9;  ///< share of a category's values in an evaluation file that may be without an id; 1 = all
  Index part_bytes = 0;      ///< a larger data set is cut into files of so many bytes; 0 = automatic (run.part_bytes)
  double lock_wait = 60;     ///< seconds to wait for another job that writes the same files (run.lock_wait)
};

}  // namespace tesserec::data
