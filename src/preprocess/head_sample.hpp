// SPDX-License-Identifier: Apache-2.0
/// First rows of a raw file, and what they say about its form.
#pragma once

#include <string>
#include <vector>

#include "raw_files.hpp"
#include <tesserec/parquet/reader.hpp>
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/fields.hpp>

namespace tesserec::preprocess {

/// Rows of a file from which a deck is proposed.
inline constexpr Index head_rows = 10000;

/// First rows of a raw file.
struct HeadSample {
  RawFile file;
  TextRules rules;
  bool header = false;
  std::vector<std::string> names;                ///< names of the columns; made up without a header
  std::vector<std::vector<std::string>> values;  ///< texts [columns, rows], trimmed
  std::vector<parquet::ColumnType> types;        ///< types of the columns of a Parquet file
  std::vector<char> separators;                  ///< separators of its columns of lists, else 0
  Index rows = 0;
  Index others = 0;       ///< rows with another number of fields or over the longest line, left out
  Index first_other = 0;  ///< line of the first of them
  Index empty = 0;        ///< empty lines before or between rows
  Index text = 0;         ///< text of the rows, bytes
  Index all_rows = 0;     ///< rows of a Parquet file
  bool whole = false;     ///< true if these are all rows of the file
  /// Reasons for the guesses, for a person.
  std::string delimiter_reason, header_reason, quotes_reason, newlines_reason, comment_reason;

  /// Returns whether the columns are those of the log: by their names in any order or, without headers, by their
  /// number.
  bool has_columns_of(const HeadSample& log) const;
};

/// Reads the first head_rows rows of a file and guesses delimiter, quotes, comments and header. Throws Error, naming
/// the file, if it is no table.
HeadSample read_head(const std::string& path);

/// Reads the first rows of a Parquet file, whose path is set, and chooses separators for its lists.
void read_parquet_head(HeadSample& head);

/// Returns whether the first rows of a delimited file have the same texts by other rules.
bool reads_alike(const HeadSample& head, const TextRules& rules);

}  // namespace tesserec::preprocess
