// SPDX-License-Identifier: Apache-2.0
#include "row_stores.hpp"

#include <tesserec/tiers/disk_rows.hpp>

namespace tesserec::train {

embedding::MakeRowStore row_stores(const Job& job) {
  tiers::DiskSettings settings;
  settings.folder = job.disk_folder();
  settings.cache = job.plan.cache;
  for (const auto& [table, constraints] : job.plan.tables)
    if (constraints.cache) settings.table_caches[table] = *constraints.cache;
  const embedding::MakeRowStore on_disk = tiers::disk_rows(settings);
  return [=](const Exec& exec, const embedding::TableShard& shard) {
    return shard.kernel == embedding::ComputeKernel::disk ? on_disk(exec, shard) : embedding::memory_rows(exec, shard);
  };
}

}  // namespace tesserec::train
