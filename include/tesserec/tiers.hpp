// SPDX-License-Identifier: Apache-2.0
#pragma once

/// tiers: stores of rows beyond memory. disk_rows() makes stores whose rows lie in a file, with a cache in memory for
/// the rows of the last batches; host_cached_rows() makes stores whose rows lie in host memory, with such a cache in a
/// device's memory. Either is given to a ShardedEmbeddingBagCollection by CollectionOptions::store, or to one
/// table as below. Results have the bits of rows in memory, for any size of the cache. A batch pins its rows, waits for
/// them, uses the slots, and releases them; more batches may have their rows pinned meanwhile, while the cache has
/// slots. growing_rows() makes stores of tables whose ids are any 64-bit numbers and get rows while training. Nothing
/// here communicates. One thread at a time uses a store; a thread of its own reads and writes the file.
/// Errors name the table: too little space on the disk, a cache that is too small, a failed read or write. The rest is
/// in src/tiers/README.md.
///
/// ```cpp
/// const embedding::MakeRowStore make = tiers::disk_rows({.folder = "/tmp", .cache = 0.01});
/// const embedding::TableShard shard{.config = embedding::table_config("users", /*rows=*/1'000'000, /*dim=*/16),
///                                   .columns = {0, 16}};
/// const auto store = make(exec, shard);
/// store->initialize(exec, embedding::StartValues(shard.config, /*seed=*/7, /*index=*/0));
///
/// embedding::PinnedRows batch(exec, *store, std::vector<Index>{12, 999999, 12});
/// batch.wait();
/// float* const row = store->weights().data() + batch.slots()[1] * store->dim();  // of row 999999
/// row[0] += 0.5f;
/// batch.set_moved();
/// ```

#include <tesserec/tiers/cache_slots.hpp>
#include <tesserec/tiers/disk_rows.hpp>
#include <tesserec/tiers/growing_rows.hpp>
#include <tesserec/tiers/host_cached_rows.hpp>
