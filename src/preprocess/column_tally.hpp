// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "row_format.hpp"
#include "row_stream.hpp"
#include <tesserec/comm/communicator.hpp>
#include <tesserec/preprocess/run.hpp>
#include <tesserec/verdict/facts.hpp>

namespace tesserec::preprocess {

/// Counter of missing, unknown, clipped and large values, per file and column.
class ColumnTally {
 public:
  /// Takes the layout, which must outlive this object, and the number of raw files.
  ColumnTally(const RowLayout& layout, std::size_t files);

  /// Counts a row of file number `file`. `dense` [K] and `ids` are the row's encoded numbers and values.
  void add(Index file, const Row& row, const float* dense, const Index* ids);
  /// Sums the ranks' counts into the report's files. Adds each feature's first unknown value in rank order.
  /// Adds the facts for the verdict. `ranges`: this rank's ranges of the files. Collective.
  void gather(const comm::Communicator& comm, const std::vector<RangeCount>& ranges, DatasetReport& report);

 private:
  const RowLayout& layout_;
  std::size_t columns_;
  std::vector<ColumnCounts> counts_;  ///< counts [files, K + F] row-major
  verdict::RowFacts facts_;
  std::vector<std::string> examples_;  ///< first value without an id, quoted [files, F]; empty = none
};

/// Throws Error if a feature's share of unknown values exceeds `max_unknown` in a raw file. Only warns if the file has
/// fewer than 10 values of the feature. `known` [F]: for each feature a value with an id, or "".
void require_known(const DatasetReport& evaluate, const RowLayout& layout, const std::vector<std::string>& known,
                   double max_unknown);

}  // namespace tesserec::preprocess
