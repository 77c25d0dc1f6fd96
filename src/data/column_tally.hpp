// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "row_format.hpp"
#include <tesserec/comm/communicator.hpp>
#include <tesserec/data/preprocess.hpp>

namespace tesserec::data {

/// Counts, file by file and column by column, the values that are missing, without an id, clipped or large.
class ColumnTally {
 public:
  ColumnTally(const RowLayout& layout, std::size_t files);

  /// Counts a row of `file`. `dense` [K] and `ids` [F] are what its numbers and tokens became.
  void add(Index file, const Row& row, const float* dense, const std::int32_t* ids);
  /// Writes the counts of all ranks into the report's files. The ranks have the rows in their order. Collective.
  void gather(const comm::Communicator& comm, DatasetReport& report) const;

 private:
  const RowLayout& layout_;
  std::size_t columns_;
  std::vector<ColumnCounts> counts_;   ///< [files, K + F]
  std::vector<std::string> examples_;  ///< [files, F] the first value without an id, as messages show it
};

/// Error where more than `most` of a feature's values have no id. `known` [F]: a value of each that has one.
void require_known(const DatasetReport& evaluate, const RowLayout& layout, const std::vector<std::string>& known,
                   double most);

}  // namespace tesserec::data
