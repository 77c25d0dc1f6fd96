// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "row_stream.hpp"
#include "token_batch.hpp"
#include <tesserec/comm/communicator.hpp>
#include <tesserec/preprocess/run.hpp>
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/row_format.hpp>
#include <tesserec/verdict/facts.hpp>

namespace tesserec::preprocess {

/// Returns the place, among the labels, of the one that the verdict judges: the first that every row has.
std::size_t judged_label(const RowLayout& layout);

/// Counter of missing, unknown, clipped and large values and of keys without a row to join, per column and range of
/// this rank's text.
class ColumnTally {
 public:
  /// Takes the layout, which must outlive this object, the file of each range, and the number of files.
  ColumnTally(const RowLayout& layout, std::vector<Index> files, std::size_t file_count);

  /// Counts what a row of range number `range` has before its values have ids.
  void add(Index range, const Row& row);
  /// Counts the ids [values] of values of one feature in range number `range`.
  void add_ids(Index range, std::size_t feature, const TokenBatch& values, std::span<const Index> ids);
  /// Counts a value of range number `range` that turned out to have no id after add() took it for known.
  void add_unknown(Index range, std::size_t feature, std::string_view token);
  /// Counts the large numbers of a row of range number `range`, and takes its values and its judged label for the
  /// verdict, once its ids are known.
  void add_facts(Index range, std::uint8_t label, const verdict::RowValues& row);
  /// Does the same for rows with one label and one value of each feature.
  void add_facts(Index range, const verdict::PackedRows& rows);
  /// Packs the counts of a range, or adds counts that were packed.
  std::string pack(Index range) const;
  void add_packed(Index range, std::string_view bytes);
  /// Sums the ranks' counts into the report's files. Adds each feature's first unknown value in rank order, and the
  /// facts for the verdict, without gzip_members. Collective.
  void gather(const comm::Communicator& comm, DatasetReport& report);

 private:
  void add_large(Index range, std::span<const float> dense);
  /// Returns the first unknown value in a range of a feature or, behind the features, of the key of a join.
  std::string& example(Index range, std::size_t number) {
    return examples_[std::size_t(range) * (layout_.features.size() + layout_.joins.size()) + number];
  }

  const RowLayout& layout_;
  std::size_t data_columns_, columns_;       ///< K + F, K + F + J
  std::size_t tops_;                         ///< most frequent values of all features, F * top_values
  std::vector<Index> files_;                 ///< file of each range
  std::vector<ColumnCounts> counts_;         ///< counts [ranges, K + F + J] row-major
  std::vector<std::string> examples_;        ///< first unknown value, quoted [ranges, F + J]; empty = none
  std::vector<Index> top_counts_;            ///< counts of ids 1 to top_values [ranges, F, top_values]
  std::vector<std::string> top_texts_;       ///< their values, quoted [F, top_values]; empty = not seen
  std::vector<Index> positives_;             ///< rows with label 1 of each range
  std::vector<verdict::ValueRange> values_;  ///< values of the columns [ranges, K + F] row-major
  verdict::RowFacts facts_;
  Index sampled_ = 0;  ///< rows of add_facts()
};

/// Throws Error if a feature's share of unknown values exceeds `max_unknown` in a raw file. Only warns if the file has
/// fewer than 10 values of the feature. `known` [F]: for each feature a value with an id, or "".
void require_known(const DatasetReport& evaluate, const RowLayout& layout, const std::vector<std::string>& known,
                   double max_unknown);

/// Throws Error if a side table lacks the keys of more than the share `max_unknown` of the rows of a raw file.
void require_joined(const DatasetReport& report, const RowLayout& layout, double max_unknown);

}  // namespace tesserec::preprocess
