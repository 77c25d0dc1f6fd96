// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <tesserec/embedding/row_store.hpp>

namespace tesserec::embedding {

StartValues::StartValues(const EmbeddingBagConfig& table, std::uint64_t seed, Index index)
    : random_(seed, Purpose::table_weights, std::uint64_t(index)),
      bound_(float(std::sqrt(1.0 / double(table.rows().size())))),
      columns_(table.embedding_dim),
      format_(table.weight_format()),
      ones_(table.start == RowStart::one) {}

void StartValues::operator()(Range rows, Range columns, float* out) const {
  if (ones_)
    std::fill_n(out, rows.size() * columns.size(), 1.0f);
  else
    random_.fill_rows(rows, columns, bound_, out);
  round_to(format_, rows.size() * columns.size(), out);
}

void StartValues::rows(std::span<const DrawnRow> rows, Range columns) const {
  if (!ones_) random_.fill_rows(rows, columns, bound_);
  for (const DrawnRow& row : rows) {
    if (ones_) std::fill_n(row.out, columns.size(), 1.0f);
    round_to(format_, columns.size(), row.out);
  }
}

double StartValues::row_norm() const { return std::sqrt(double(columns_)) * (ones_ ? 1.0 : bound_ / std::sqrt(3.0)); }

}  // namespace tesserec::embedding
