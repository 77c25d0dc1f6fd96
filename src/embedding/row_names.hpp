// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <numeric>

#include <tesserec/embedding/row_store.hpp>
#include <tesserec/embedding/row_sums.hpp>

namespace tesserec::embedding {

/// Converts the ascending slots in sums.rows to ascending rows of the logical table.
inline void name_rows(RowSums& sums, const RowStore& store) {
  for (Index& row : sums.rows) row = store.row_at(row);
  if (store.ordered()) return;
  const std::size_t dim = store.dim();
  std::vector<std::size_t> order(sums.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
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
