// SPDX-License-Identifier: Apache-2.0
/// Facts about data sets, from which the verdict is made.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/verdict/row_sample.hpp>

namespace tesserec::verdict {

/// Facts about a file of rows.
struct FileFacts {
  std::string path;
  std::string content = {};         ///< digest of its bytes; empty = not known
  Index rows = 0;                   ///< rows that were taken
  Index bad_rows = 0;               ///< rows that were left out
  Index positives = 0;              ///< rows with label 1
  Index unlabelled = 0;             ///< rows that lack this one of several labels
  Index weightless = 0;             ///< rows with weight 0
  Index not_utf8 = 0;               ///< rows that were taken and have bytes that are not UTF-8
  Index gzip_members = 0;           ///< members of a .gz file; else 0
  std::vector<Index> missing = {};  ///< rows without a value, by column [K + F]; empty = not known
};

/// Smallest and largest values of a column over all rows.
struct ValueRange {
  double low = std::numeric_limits<double>::infinity();  ///< numbers or ids; above `high` if there is none
  double high = -std::numeric_limits<double>::infinity();
  double shortest_bag = std::numeric_limits<double>::infinity();  ///< bag lengths of a feature
  double longest_bag = -std::numeric_limits<double>::infinity();

  void widen(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void widen_bag(double length) {
    shortest_bag = std::min(shortest_bag, length);
    longest_bag = std::max(longest_bag, length);
  }
  void merge(const ValueRange& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
    shortest_bag = std::min(shortest_bag, other.shortest_bag);
    longest_bag = std::max(longest_bag, other.longest_bag);
  }
  bool constant() const { return low >= high && longest_bag <= shortest_bag; }
};

/// Widens the ranges of the columns [K + F] by a row.
void widen(std::span<ValueRange> ranges, const RowValues& row);

/// Widens the ranges of the columns [K + F] by rows.
void widen(std::span<ValueRange> ranges, const PackedRows& rows);

/// Facts about a data set.
struct SetFacts {
  std::string name;         ///< "train" or "evaluate", as in the deck
  bool labelled = true;     ///< false if rows have no labels
  std::string label = {};   ///< name of the label's column; empty = not known
  std::string weight = {};  ///< name of the column of weights; empty = none or not known
  bool side = false;        ///< true if it has one side of the rows of split files
  std::vector<FileFacts> files = {};
  std::vector<FileFacts> sources = {};  ///< raw files behind `files`, if these are data sets: names and contents alone
  std::vector<ValueRange> ranges = {};  ///< ranges of the columns [K + F]; empty = not known
  std::vector<SampledRow> rows = {};    ///< RowSample::rows()
  std::uint64_t limit = 0;              ///< RowSample::limit()
  Index unsampled = 0;                  ///< rows that the sample was not drawn from

  Index all_rows() const;
  Index all_positives() const;
  Index all_unlabelled() const;
  Index all_weightless() const;
};

/// Columns of the data sets.
struct ColumnNames {
  std::vector<std::string> dense;     ///< names of the dense features [K]
  std::vector<bool> indicator;        ///< true if it tells where a number is missing [K]
  std::vector<std::string> features;  ///< names of the sparse features [F]

  std::size_t size() const { return dense.size() + features.size(); }
  const std::string& operator[](std::size_t column) const {
    return column < dense.size() ? dense[column] : features[column - dense.size()];
  }
};

/// Collector of a data set's facts that need its values.
class RowFacts {
 public:
  RowFacts(std::size_t dense, std::size_t features, std::size_t files);

  /// Counts an encoded row of file number `file`.
  void add(Index file, bool positive, const RowValues& row);
  /// Adds encoded rows to the sample alone.
  void sample(bool positive, const RowValues& row) { sample_.add(positive, row); }
  void sample(const PackedRows& rows) { sample_.add(rows); }
  /// Adds rows of file number `file` to all but the sample.
  void add_ranges(Index file, Index positives, std::span<const ValueRange> ranges);
  /// Moves the facts of all ranks to `facts`, whose files are listed already. Collective.
  void gather(const comm::Communicator& comm, SetFacts& facts);

 private:
  std::vector<ValueRange> ranges_;
  std::vector<Index> positives_;  ///< by file
  RowSample sample_;
};

}  // namespace tesserec::verdict
