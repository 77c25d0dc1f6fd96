// SPDX-License-Identifier: Apache-2.0
/// Facts about the texts of a column, and the kind that they suggest.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "time_guess.hpp"
#include <tesserec/core/index.hpp>
#include <tesserec/parquet/reader.hpp>
#include <tesserec/preprocess/settings.hpp>

namespace tesserec::preprocess {

/// Different texts up to which ColumnFacts counts each number.
inline constexpr Index few_texts = 20;

/// Texts that mean 0 and texts that mean 1, such as "no" and "Yes", "yes".
struct Spellings {
  std::vector<std::string> zero, one;
  Index ones = 0;  ///< rows with one of `one`
};

/// Facts about the first texts of a column.
struct ColumnFacts {
  std::string name;
  std::optional<parquet::ColumnType> type = {};  ///< type in a Parquet file
  Index rows = 0;
  Index missing = 0;   ///< rows whose text means a missing value
  Index distinct = 0;  ///< different texts among the others
  Index numbers = 0, integers = 0;
  double low = 0, high = 0, mean = 0, deviation = 0;  ///< of the numbers
  std::map<double, Index> few_numbers = {};           ///< how often each number comes, if few texts differ
  std::size_t longest = 0;                            ///< longest text, bytes
  bool ascends = false;                               ///< true if all are integers, each one above the last
  std::vector<std::pair<std::string, Index>> frequent =
      {};                                ///< up to three texts that come most often, with their counts
  char separator = 0;                    ///< character that seems to stand between values, or does in lists; 0 = none
  Index separated = 0;                   ///< texts with the separator
  Index tokens = 0;                      ///< different texts between separators
  Index decimal_commas = 0;              ///< texts such as "3,01"
  Index written = 0;                     ///< texts such as "1,250", "$3.50" or "15%"
  Index brackets = 0;                    ///< texts such as "[1, 4]"
  std::vector<std::string> others = {};  ///< texts beside numbers, if there are at most three
  Spellings spellings = {};              ///< of 0 and 1, if all texts are such ones and both come
  TimeGuess time = {};
  bool only_days = false;  ///< true if all texts are times at the begin of a day

  Index present() const { return rows - missing; }
  bool is_numeric() const { return present() > 0 && numbers == present(); }
  bool is_integer() const { return present() > 0 && integers == present(); }
  /// Returns whether all texts differ.
  bool is_unique() const { return present() > 1 && distinct == present(); }
  /// Returns the frequent texts, for a person.
  std::string examples() const;
};

/// Counts what the texts of a column are. `missing`: texts that mean a missing value.
ColumnFacts facts_of(const std::string& name, const std::vector<std::string>& texts,
                     const std::vector<std::string>& missing);

/// Column of a deck that was guessed.
struct ColumnGuess {
  Column column;
  std::string reason;  ///< evidence, for a person
};

/// Guesses the kind of a column that is not the label.
ColumnGuess guess_column(const ColumnFacts& facts);

/// Returns the index of the column that is probably the label and sets `guess`; -1 if there is none.
Index guess_label(const std::vector<ColumnFacts>& columns, ColumnGuess& guess);

/// Returns the guess that a column is a label beside another one, because it is 0 or 1 and its name says so.
std::optional<ColumnGuess> further_label(const ColumnFacts& facts);

/// Returns whether a name has one of the words, which are in lower case, as one of its parts: "user" in "UserID",
/// "user_id".
bool has_word(const std::string& name, const std::vector<std::string>& words);
/// Returns whether all parts of a name are among the words.
bool has_only_words(const std::string& name, const std::vector<std::string>& words);

}  // namespace tesserec::preprocess
