// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include <tesserec/embedding/row_store.hpp>

namespace tesserec::tiers {

/// Rows that a shard's cache has at least, unless the shard has fewer.
inline constexpr Index least_cached_rows = 1024;

/// Rows of a shard's cache.
struct CacheSlots {
  Index asked = 0;  ///< rows by the settings alone, at most all rows of the shard
  Index slots = 0;  ///< rows that the cache holds, at least `least_rows`
};

/// Returns the rows of a shard's cache: a share of its rows if `cache` is below 1, else the shard's share of that many
/// bytes for the table; at least `least_rows`, and at most all rows. `table_caches` replaces `cache` by table.
CacheSlots cache_slots(const embedding::TableShard& shard, double cache,
                       const std::map<std::string, double>& table_caches, Index least_rows = least_cached_rows);

}  // namespace tesserec::tiers
