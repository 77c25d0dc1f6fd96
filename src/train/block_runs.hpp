// SPDX-License-Identifier: Apache-2.0
/// Rows of tables that files order by row block.
#pragma once

#include <vector>

#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>
#include <tesserec/store/word_rows.hpp>

namespace tesserec::train {

using store::add_words, store::item_name, store::WordRows;

/// Returns the rows of a run of blocks, as a range of all rows that these counts by block add up to.
Range run_of(const std::vector<Index>& counts, Range blocks);

/// Returns whether a shard has the first columns of its rows, and so speaks for them.
inline bool has_first_columns(const sharding::ShardedEmbeddingBagCollection::Shard& shard) {
  return shard.rows->columns().begin == 0;
}

}  // namespace tesserec::train
