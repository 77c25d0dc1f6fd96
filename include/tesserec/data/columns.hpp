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

/// The places in `source` of the columns of `wanted`, by name. Error: a feature or dense feature that one of the two
/// lacks, another transform of a dense feature, ids or labels of another meaning; it names the column. Facts
/// that one of the two does not say are not compared.
ColumnOrder column_order(const SourceInfo& source, const SourceInfo& wanted);

/// `source` with its columns in the order of `wanted`; says so where the order changes, and which facts could not be
/// compared. Errors as column_order's.
std::unique_ptr<Source> in_order(std::unique_ptr<Source> source, const SourceInfo& wanted);

}  // namespace tesserec::data
