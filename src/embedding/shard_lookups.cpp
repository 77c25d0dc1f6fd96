// SPDX-License-Identifier: Apache-2.0
#include <tesserec/embedding/shard_lookups.hpp>

namespace tesserec::embedding {

void ShardLookups::clear(Index runs) {
  bags.clear();
  nodes.clear();
  sums_at.clear();
  gradients.clear();
  bags.resize(runs);
  nodes.resize(runs);
  sums_at.resize(runs);
  pinned = {};
}

void ShardLookups::pin(const Exec& exec, RowStore& store) {
  if (store.ordered() && gradients.empty()) return;
  std::vector<Index> rows;
  for (const std::vector<Bags>& run : bags)
    for (const Bags& of : run)
      if (of.count > 0) rows.insert(rows.end(), of.ids + of.offsets[0], of.ids + of.offsets[of.count]);
  if (store.ordered()) {
    for (RowUse& use : gradients) use.row = rows[use.row] - store.first_row();
    return;
  }
  pinned = PinnedRows(exec, store, rows);
  const Index* slot = pinned.slots().data();
  for (std::vector<Bags>& run : bags)
    for (Bags& of : run) {
      if (of.count == 0) continue;
      of.slots = slot - of.offsets[0];
      slot += of.total();
    }
  for (RowUse& use : gradients) use.row = pinned.slots()[use.row];
}

}  // namespace tesserec::embedding
