// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "problem.hpp"

namespace tesserec::planning {

constexpr Index finest = 128;  // borders that a table has at least, where it has so many blocks

FreeTable::FreeTable(std::vector<std::pair<ComputeKernel, TableCosts>> costs, Index most_columns, Index min_rows,
                     ShardingType in_one_piece)
    : costs_(std::move(costs)),
      in_one_piece_(in_one_piece),
      rows_(std::make_shared<const RowShares>(costs_.front().second, min_rows)) {
  while (step_ > 1 && step_ * finest > rows_->used) step_ /= 2;
  for (std::size_t kernel = 0; kernel < costs_.size(); ++kernel) {
    const TableCosts& of = costs_[kernel].second;
    for (const ExchangeForm form : {ExchangeForm::pooled, ExchangeForm::rows})
      for (Index columns = 1; columns <= most_columns; ++columns) {
        const double width = double(of.dim()) / double(columns);
        Index widest = 0;
        for (Index c = 0; c < columns; ++c) widest = std::max(widest, this->columns(c, columns).size());
        cuts_.push_back({kernel, form, columns, of.load(of.whole(), width, form),
                         RowPartitions(*rows_, of, width, double(widest), form)});
      }
  }
}

Option FreeTable::option(const Cut& cut, std::vector<Index> borders, int ranks) const {
  const bool rows = borders.size() > 2, columns = cut.columns > 1;
  Option option;
  if (rows)
    option.type = columns ? ShardingType::grid : ShardingType::row_wise;
  else
    option.type = columns ? ShardingType::column_wise : in_one_piece_;
  option.kernel = kernel(cut);
  option.form = cut.form;
  option.column_cuts = cut.columns;
  option.borders = std::move(borders);
  for (Index c = 0; c < cut.columns; ++c)
    for (std::size_t i = 0; i + 1 < option.borders.size(); ++i) {
      const Range blocks{option.borders[i], option.borders[i + 1]};
      const ShardLoad load = costs(cut).shard(blocks, this->columns(c, cut.columns), cut.form);
      option.pieces.push_back(load.owner);
      option.each += load.each;
    }
  derive(option, ranks);
  return option;
}

Range FreeTable::columns(Index piece, Index pieces) const {
  const Index dim = costs_.front().second.dim(), quads = (dim + 3) / 4;
  return {std::min(dim, piece * quads / pieces * 4), std::min(dim, (piece + 1) * quads / pieces * 4)};
}

void derive(Option& option, int ranks) {
  option.total = option.total_bytes = option.biggest = option.most_bytes = 0;
  for (const Load& piece : option.pieces) {
    option.total += piece.seconds;
    option.total_bytes += piece.bytes;
    option.biggest = std::max(option.biggest, piece.seconds);
    option.most_bytes = std::max(option.most_bytes, piece.bytes);
  }
  option.total += ranks * option.each.seconds;
  option.total_bytes += ranks * option.each.bytes;
}

}  // namespace tesserec::planning
