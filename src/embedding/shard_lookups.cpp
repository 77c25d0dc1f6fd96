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

void ShardLookups::pin(const Exec& exec, RowStore& store, bool trains) {
  if (store.ordered() && gradients.empty()) return;
  std::vector<Index> rows;
  for (const std::vector<Bags>& run : bags)
    for (const Bags& feature_bags : run)
      if (feature_bags.count > 0)
        rows.insert(rows.end(), feature_bags.ids + feature_bags.offsets[0],
                    feature_bags.ids + feature_bags.offsets[feature_bags.count]);
  if (store.ordered()) {
    for (RowUse& use : gradients) use.row = rows[use.row] - store.first_row();
    return;
  }
  pinned = trains ? PinnedRows(store, store.pin_to_train(exec, rows)) : PinnedRows(exec, store, rows);
  const Index* slot = pinned.slots().data();
  for (std::vector<Bags>& run : bags)
    for (Bags& feature_bags : run) {
      if (feature_bags.count == 0) continue;
      feature_bags.slots = slot - feature_bags.offsets[0];
      slot += feature_bags.total();
    }
  for (RowUse& use : gradients) use.row = pinned.slots()[use.row];
}

}  // namespace tesserec::embedding
