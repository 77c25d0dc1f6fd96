// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kept_rows.hpp"
#include "row_stream.hpp"
#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/utf8.hpp>
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
  /// Does the same for kept rows.
  void add(Index range, const KeptChunk& rows);
  /// Counts the ids [values] of values of one feature in range number `range`. missing(v) tells whether a value is
  /// missing, and text(v) returns the text of one that is not.
  template <class Id, class Missing, class Text>
  void add_ids(Index range, std::size_t feature, std::span<const Id> ids, const Missing& missing, const Text& text) {
    if (layout_.forms[feature].hashed()) return;
    Id seen[1 + top_values] = {};  // values of each of the lowest ids
    for (const Id id : ids)
      for (Id low = 0; low <= Id{top_values}; ++low) seen[low] += id == low;
    for (std::size_t v = 0; seen[0] > 0 && v < ids.size(); ++v)
      if (ids[v] == 0 && !missing(v)) add_unknown(range, feature, [&] { return text(v); });
    for (Index top = 1; top <= top_values; ++top) {
      if (seen[top] == 0) continue;
      std::string& shown_text = add_top(range, feature, top, Index{seen[top]});
      if (shown_text.empty())
        shown_text = shown(text(std::size_t(std::find(ids.begin(), ids.end(), Id(top)) - ids.begin())));
    }
  }
  /// Counts a value of range number `range` that has no id. text() returns its text.
  template <class Text>
  void add_unknown(Index range, std::size_t feature, const Text& text) {
    ColumnCounts& count = counts_[std::size_t(range) * columns_ + layout_.dense_features.size() + feature];
    if (++count.unknown == 1) example(range, feature) = shown(text());
  }
  /// Counts the large numbers of a row of range number `range`, and takes its values and its judged label for the
  /// verdict, once its ids are known.
  void add_facts(Index range, std::uint8_t label, const verdict::RowValues& row);
  /// Does the same for rows with one label and one value of each feature.
  void add_facts(Index range, const verdict::PackedRows& rows);
  /// Packs the counts of a range, or adds counts that were packed.
  std::string pack(Index range) const;
  void add_packed(Index range, std::string_view bytes);
  /// Sums the ranks' counts into the report's files. Adds each feature's first unknown value in rank order, and the
  /// facts for the verdict, without gzip_members and not_utf8. Collective.
  void gather(const comm::Communicator& comm, DatasetReport& report);

 private:
  static constexpr Index top_values = 3;  ///< most frequent values that are shown

  /// Counts values of a feature that are one of its most frequent ones. Returns its text.
  std::string& add_top(Index range, std::size_t feature, Index id, Index count) {
    const std::size_t top = feature * std::size_t(top_values) + std::size_t(id - 1);
    top_counts_[std::size_t(range) * tops_ + top] += count;
    return top_texts_[top];
  }
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
