// SPDX-License-Identifier: Apache-2.0
/// Side tables of [[preprocess.join]]: files whose rows are found by a key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "raw_files.hpp"
#include "token_map.hpp"
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/fields.hpp>

namespace tesserec::preprocess {

/// Rows of a side table, in memory.
class SideTable {
 public:
  /// Reads the files of a join by the rules for text in [preprocess]. `block`: the join in messages,
  /// "preprocess.join.0". `separators`: those of Join::columns, for lists in Parquet files; 0 = none. `null`: text of a
  /// null there. Throws Error, naming file and line, for a column that the file lacks, a bad row, two rows with one
  /// key, or a table larger than Join::memory.
  SideTable(const Join& join, const std::string& block, TextRules rules, const std::vector<char>& separators,
            const std::string& null);

  /// Adds the text of the next key column to a key.
  void append_key(std::string_view text, bool first, std::string& key) const;
  /// Returns the number of the row with this key, or -1.
  Index find(std::string_view key) const { return keys_.find(key); }
  /// Returns a field of a row, without spaces around it. `column`: index in Join::columns.
  std::string_view text(Index row, std::size_t column) const {
    const std::size_t at = std::size_t(row) * columns_ + column;
    const std::size_t begin = at == 0 ? 0 : ends_[at - 1];
    return std::string_view(bytes_).substr(begin, ends_[at] - begin);
  }
  Index rows() const { return keys_.size(); }
  /// Returns the file and the line of a row, for messages.
  std::string place(Index row) const;
  /// Returns the key of the first row, quoted for messages.
  std::string example() const;
  /// Returns the memory of the rows, bytes.
  Index bytes() const;

 private:
  std::size_t place_of(const std::string& name, const std::vector<std::string>& names, const std::string& where) const;
  void find_columns(const std::vector<std::string>& names, const std::string& where);
  void read_text(const RawFile& file, const TextRules& rules);
  void read_parquet(const std::string& path, bool trim, const std::vector<char>& separators, const std::string& null);
  void add(const std::vector<std::string_view>& fields, Index line, bool trim);

  const Join join_;
  const std::string block_;
  std::size_t columns_;
  std::vector<std::size_t> key_places_, places_;  ///< fields of the key's columns and of Join::columns in a row
  TokenMap keys_;                                 ///< keys, numbered as the rows
  std::string bytes_;                             ///< fields, one after the other
  std::vector<std::size_t> ends_;                 ///< ends of the fields in bytes_ [rows, columns] row-major
  std::vector<Index> lines_;                      ///< line of each row [rows]; row of a Parquet file from 1
  std::vector<std::string> files_;                ///< files that were opened
  std::vector<Index> first_rows_;                 ///< first row of each of them
  std::string key_;                               ///< scratch of add()
};

}  // namespace tesserec::preprocess
