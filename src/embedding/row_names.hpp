// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <tesserec/embedding/row_store.hpp>
#include <tesserec/embedding/row_sums.hpp>

namespace tesserec::embedding {

/// Converts the ascending slots in sums.rows to ascending rows of the logical table. Drops slots without a row.
inline void name_rows(RowSums& sums, const RowStore& store) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < sums.rows.size() && !store.ordered(); ++i)
    if (store.has_row(sums.rows[i])) order.push_back(i);
  for (Index& row : sums.rows) row = store.row_at(row);
  if (store.ordered()) return;
  const std::size_t dim = store.dim();
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return sums.rows[i]; });
  RowSums sorted;
  for (const std::size_t i : order) {
    sorted.rows.push_back(sums.rows[i]);
    if (!sums.leaves.empty()) sorted.leaves.push_back(sums.leaves[i]);
    sorted.sums.insert(sorted.sums.end(), sums.sums.begin() + i * dim, sums.sums.begin() + (i + 1) * dim);
  }
  sums = std::move(sorted);
}

}  // namespace tesserec::embedding
