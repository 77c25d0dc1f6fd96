// SPDX-License-Identifier: Apache-2.0
/// Changes of growing tables in a delta: ids that batches have used, and ids that have left, by block, then id, so any
/// ranks and plan read them.
#pragma once

#include <vector>

#include "block_runs.hpp"
#include <tesserec/store/checkpoint.hpp>
#include <tesserec/tiers/growing_rows.hpp>
#include <tesserec/train/session.hpp>

namespace tesserec::train {

/// Changes of a growing table by block, over all shards.
struct ChangedBlocks {
  std::vector<Index> rows, evicted, waiting,
      not_waiting;             ///< [block] sizes of the lists; empty if the table does not grow
  std::vector<Index> batches;  ///< [block] training batches so far
};

/// Returns the changes of this rank's shards since growing tables were marked; empty ones of other tables.
std::vector<tiers::GrowthChange> growth_changes(const sharding::ShardedEmbeddingBagCollection& tables);
/// Returns the changes of each table, from those of this rank's shards. Collective.
std::vector<ChangedBlocks> changed_blocks(const comm::Communicator& comm,
                                          const sharding::ShardedEmbeddingBagCollection& tables,
                                          const std::vector<tiers::GrowthChange>& changes);
/// Adds this rank's part of a shard's changes, without the numbers of its rows.
void add_changes(const sharding::ShardedEmbeddingBagCollection::Shard& shard, const tiers::GrowthChange& change,
                 const ChangedBlocks& blocks, std::vector<store::StateItem>& items);

/// Reads the changes of growing tables in a delta and makes them, but for the numbers of the rows: these are at the
/// changes' places. Returns the changes of each of this rank's shards, and sets `blocks` to those of each table.
/// Collective. Throws the same Error on all ranks if the delta does not fit the tables.
std::vector<tiers::GrowthChange> read_changes(Session& session, const store::OpenCheckpoint& delta,
                                              std::vector<ChangedBlocks>& blocks);

}  // namespace tesserec::train
