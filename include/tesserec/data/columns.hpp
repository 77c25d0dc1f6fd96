// SPDX-License-Identifier: Apache-2.0
/// Matches the columns of one source to those of another by name. A model reads columns by place.
#pragma once

#include <memory>
#include <vector>

#include <tesserec/data/source.hpp>

namespace tesserec::data {

/// Permutation of a source's columns: entry i is the place in the source of the wanted source's column i.
struct ColumnOrder {
  std::vector<Index> features;  ///< places of the sparse features [F]
  std::vector<Index> dense;     ///< places of the dense features [K]
  bool is_same() const;         ///< returns whether no column moves
};

/// Finds the columns of `wanted` in `source` by name. Throws Error, naming the column, if only one source has it, or if
/// transforms, ids or labels differ in meaning. Facts that either source leaves unsaid are not compared.
ColumnOrder column_order(const SourceInfo& source, const SourceInfo& wanted);

/// Reorders the columns of `source` as in `wanted`. Logs a changed order and facts that cannot be compared. Throws the
/// Errors of column_order().
std::unique_ptr<Source> in_order(std::unique_ptr<Source> source, const SourceInfo& wanted);

}  // namespace tesserec::data
