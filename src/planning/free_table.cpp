// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "problem.hpp"

namespace tesserec::planning {

constexpr Index finest = 128;  // borders that a table has at least, where it has so many blocks

FreeTable::FreeTable(std::vector<std::pair<ComputeKernel, TableCosts>> costs, Index most_columns, Index step)
    : costs_(std::move(costs)), rows_(std::make_shared<const RowShares>(costs_.front().second)), step_(step) {
  while (step_ > 1 && step_ * finest > rows_->used) step_ /= 2;
  for (std::size_t kernel = 0; kernel < costs_.size(); ++kernel) {
    const TableCosts& of = costs_[kernel].second;
    const double all = of.filled(1), whole = of.whole_vectors();
    for (const ExchangeForm form : {ExchangeForm::pooled, ExchangeForm::rows})
      for (Index columns = 1; columns <= most_columns; ++columns) {
        const double width = double(of.dim()) / double(columns);
        const double vectors = form == ExchangeForm::pooled ? whole : 0;
        cuts_.push_back({kernel, form, columns, of.load(of.rows(), all, vectors, width, form), nullptr});
      }
  }
}

const RowPartitions& FreeTable::partitions(const Cut& cut) const {
  if (!cut.partitions) {
    const double width = double(costs(cut).dim()) / double(cut.columns);
    Index widest = 0;
    for (Index c = 0; c < cut.columns; ++c) widest = std::max(widest, columns(c, cut.columns).size());
    cut.partitions = std::make_shared<const RowPartitions>(*rows_, costs(cut), width, double(widest), cut.form);
  }
  return *cut.partitions;
}

Range FreeTable::columns(Index piece, Index pieces) const {
  const Index dim = costs_.front().second.dim(), quads = (dim + 3) / 4;
  return {std::min(dim, piece * quads / pieces * 4), std::min(dim, (piece + 1) * quads / pieces * 4)};
}

}  // namespace tesserec::planning
