// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include <tesserec/embedding/row_store.hpp>
#include <tesserec/tiers/cache_slots.hpp>

namespace tesserec::tiers {

/// Settings of stores whose rows lie in a file, with a cache in memory.
struct DiskSettings {
  std::string folder;  ///< folder of the file, best on a local disk; made if missing, but not its parent
  double cache = 0.1;  ///< share of a shard's rows that the cache holds if below 1, else bytes for the whole table
  Index least_rows = least_cached_rows;  ///< rows that a shard's cache has at least, unless the shard has fewer
  /// Reads rows when a batch needs them instead of when it pins them. For tests.
  bool lazy = false;
  /// Waits for each transfer in a thread, even where the system has io_uring. For tests.
  bool threads = false;
  std::map<std::string, double> table_caches = {};  ///< `cache` of tables that differ, by name
};

/// Returns the maker of stores that keep the rows of the last batches in memory, and all others in a file that the
/// system deletes when the process ends. A row that no batch has touched lies nowhere: it has its start values. The
/// rows of a batch must fit into the cache. Results do not depend on the settings. The maker throws Error, naming the
/// table, if the folder has too little space, or for tables in a device's memory.
embedding::MakeRowStore disk_rows(const DiskSettings& settings);

}  // namespace tesserec::tiers
