// SPDX-License-Identifier: Apache-2.0
/// State of growing tables by name. Rows are ordered by block, then id, so any ranks and plan read them.
#pragma once

#include <memory>
#include <vector>

#include "block_runs.hpp"
#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>
#include <tesserec/store/state.hpp>
#include <tesserec/tiers/growing_rows.hpp>

namespace tesserec::train {

/// Contents of a growing table by block, over all shards.
struct GrownBlocks {
  std::vector<Index> rows, waiting, batches;  ///< [block]; empty for a table that does not grow

  bool grows() const { return !rows.empty(); }
  /// Returns the rows of a range of blocks, as a range of all rows of the table.
  Range rows_of(Range blocks) const { return run_of(rows, blocks); }
  Range waiting_of(Range blocks) const { return run_of(waiting, blocks); }
};

/// Returns the contents of each table. Collective.
std::vector<GrownBlocks> grown_blocks(const comm::Communicator& comm,
                                      const sharding::ShardedEmbeddingBagCollection& tables);

inline constexpr Index use_words = 4;  ///< words of an id's last batch and its batches

/// Returns ids, or the uses of ids, as words.
std::shared_ptr<WordRows> id_words_of(const std::vector<Index>& ids);
std::shared_ptr<WordRows> use_words_of(const std::vector<tiers::IdUse>& uses);
/// Reads ids and their uses. Without `uses` an id has been used in no batch but the one that counted it.
std::vector<tiers::IdUse> uses_from(const WordRows& ids, const WordRows* uses);

/// Returns the store of a shard of a growing table.
tiers::GrowingRows& growing_store(const sharding::ShardedEmbeddingBagCollection::Shard& shard);

/// Returns whether datasets, or items, hold a growing table.
bool holds_growth(const store::StateRecords& datasets, const std::string& table);

/// Adds this rank's part of the ids of a shard, which belong to the weights.
void add_ids(const sharding::ShardedEmbeddingBagCollection::Shard& shard, const GrownBlocks& blocks,
             std::vector<store::StateItem>& items);
/// Adds this rank's parts of all else that a shard's decisions depend on.
void add_growth(const sharding::ShardedEmbeddingBagCollection::Shard& shard, const GrownBlocks& blocks,
                std::vector<store::StateItem>& items);

/// Gives growing tables the ids of a checkpoint with these datasets, so that items of the rows have their shapes. A
/// table that the checkpoint lacks keeps no rows. `trained`: with the uses of the ids, and those that wait; else a run
/// begins. Collective. Throws the same Error on all ranks if a table has too few rows.
void restore_growth(const Exec& exec, const comm::Communicator& comm,
                    const sharding::ShardedEmbeddingBagCollection& tables, const store::PartedFile& file,
                    const store::StateRecords& datasets, bool trained);

}  // namespace tesserec::train
