// SPDX-License-Identifier: Apache-2.0
/// The columns of one source as those of another: a model takes them by their places, people name them.
#pragma once

#include <memory>
#include <vector>

#include <tesserec/data/source.hpp>

namespace tesserec::data {

/// Places in a source of what another one has at each place.
struct ColumnOrder {
  std::vector<Index> features;  ///< [F]
  std::vector<Index> dense;     ///< [K]
  bool is_same() const;         ///< whether each place is its own
};

/// Finds the columns of `wanted` in `source` by name. Error, naming the column: a feature or dense feature that one of
/// them lacks, another transform, ids or labels of another meaning. Facts that either leaves unsaid are not compared.
ColumnOrder column_order(const SourceInfo& source, const SourceInfo& wanted);

/// Reorders `source`'s columns as in `wanted`; logs a changed order and uncompared facts. Errors as column_order's.
std::unique_ptr<Source> in_order(std::unique_ptr<Source> source, const SourceInfo& wanted);

}  // namespace tesserec::data
