// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/row_format.hpp>

namespace tesserec::preprocess {

/// Labels, weight and time of each of some rows.
struct BlockTargets {
  std::vector<std::uint8_t> labels;    ///< labels [rows, T] row-major
  std::vector<float> optional_labels;  ///< the same with NaN for those that rows lack; empty if none can
  std::vector<float> weights;          ///< empty unless rows have weights
  std::vector<std::int64_t> times;     ///< microseconds since 1970; empty unless the layout stores a time

  /// Appends the targets of a row.
  void add(const Row& row, const RowLayout& layout) {
    if (layout.weighted) weights.push_back(row.weight);
    if (!layout.time.empty()) times.push_back(row.time);
    const std::size_t before = labels.size();
    labels.push_back(row.label);
    labels.insert(labels.end(), row.further_labels.begin(), row.further_labels.end());
    labels.resize(before + std::size_t(layout.label_count()), 0);  // rows to score have none
    if (layout.optional_labels) add_optional(before);
  }
  /// Appends the targets of other rows, of which optional_labels need not be set.
  void add(const BlockTargets& other, const RowLayout& layout) {
    const std::size_t before = labels.size();
    labels.insert(labels.end(), other.labels.begin(), other.labels.end());
    weights.insert(weights.end(), other.weights.begin(), other.weights.end());
    times.insert(times.end(), other.times.begin(), other.times.end());
    if (layout.optional_labels) add_optional(before);
  }
  void clear() {
    labels.clear();
    optional_labels.clear();
    weights.clear();
    times.clear();
  }

 private:
  /// Appends the labels from number `first` on to optional_labels.
  void add_optional(std::size_t first) {
    for (; first < labels.size(); ++first)
      optional_labels.push_back(labels[first] == lacking_label ? std::numeric_limits<float>::quiet_NaN()
                                                               : float(labels[first]));
  }
};

}  // namespace tesserec::preprocess
