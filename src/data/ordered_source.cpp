// SPDX-License-Identifier: Apache-2.0
#include "ordered_source.hpp"

#include <algorithm>
#include <utility>

#include <tesserec/data/batch.hpp>

namespace tesserec::data {
namespace {

/// What stands at each place of the order; nothing where nothing is said.
template <class T>
std::vector<T> in_places(const std::vector<T>& values, const std::vector<Index>& places) {
  std::vector<T> ordered;
  for (const Index place : places)
    if (!values.empty()) ordered.push_back(values[place]);
  return ordered;
}

}  // namespace

OrderedSource::OrderedSource(std::unique_ptr<Source> source, ColumnOrder order)
    : source_(std::move(source)), order_(std::move(order)), info_(source_->info()) {
  const SourceInfo& own = source_->info();
  info_.features = in_places(own.features, order_.features);
  info_.rows = in_places(own.rows, order_.features);
  info_.ids_per_bag = in_places(own.ids_per_bag, order_.features);
  info_.zipf = in_places(own.zipf, order_.features);
  info_.weighted = in_places(own.weighted, order_.features);
  info_.dense_names = in_places(own.dense_names, order_.dense);
  info_.transforms = in_places(own.transforms, order_.dense);
}

bool OrderedSource::next(Batch& batch) {
  if (!source_->next(batch)) return false;
  batch.sparse = batch.sparse.permute(batch.exec, order_.features);
  const auto columns = std::ssize(order_.dense);
  row_.resize(columns);
  for (Index b = 0; b < batch.size; ++b) {
    float* const row = batch.dense.data() + b * columns;
    std::copy_n(row, columns, row_.begin());
    for (Index k = 0; k < columns; ++k) row[k] = row_[order_.dense[k]];
  }
  return true;
}

void OrderedSource::limit_rows(const std::vector<Index>& rows) {
  std::vector<Index> own = source_->info().rows;
  for (std::size_t f = 0; f < rows.size(); ++f) own[order_.features[f]] = rows[f];
  source_->limit_rows(own);
}

OddValues OrderedSource::look_through() {
  const OddValues odd = source_->look_through();
  return {in_places(odd.large, order_.dense), in_places(odd.weightless, order_.features),
          in_places(odd.not_single, order_.features)};
}

}  // namespace tesserec::data
