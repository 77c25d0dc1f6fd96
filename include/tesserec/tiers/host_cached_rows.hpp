// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include <tesserec/embedding/row_store.hpp>
#include <tesserec/tiers/cache_slots.hpp>

namespace tesserec::tiers {

/// Settings of stores whose rows lie in host memory, with a cache in a device's memory.
struct HostCacheSettings {
  double cache = 0.1;  ///< share of a shard's rows that the cache holds if below 1, else bytes for the whole table
  Index least_rows = least_cached_rows;  ///< rows that a shard's cache has at least, unless the shard has fewer
  std::map<std::string, double> table_caches = {};  ///< `cache` of tables that differ, by name
};

/// Returns the maker of stores that keep the rows of the last batches in the memory of kernels, and all others in host
/// memory. A row that no batch has touched lies nowhere: it has its start values. The rows of a batch must fit into the
/// cache. Results do not depend on the settings. The maker throws Error, naming the table, for tables in host memory.
embedding::MakeRowStore host_cached_rows(const HostCacheSettings& settings);

}  // namespace tesserec::tiers
