// SPDX-License-Identifier: Apache-2.0
#include "row_stores.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <tesserec/tiers/disk_rows.hpp>
#include <tesserec/tiers/growing_rows.hpp>
#include <tesserec/tiers/host_cached_rows.hpp>

namespace tesserec::train {
namespace {

/// Returns how a table grows. The deck counts steps of several micro-batches, which are the store's batches.
tiers::GrowthSettings growth_of(const embedding::EmbeddingBagConfig& table, const Settings& train) {
  tiers::GrowthSettings settings;
  settings.admit_after = table.growth.admit_after;
  settings.eviction = table.growth.eviction;
  settings.ttl = table.growth.ttl * train.accumulate;
  settings.unknown = table.growth.unknown;
  settings.kept_batches = train.accumulate;  // rows move after the last micro-batch of a step
  double ids = 0;
  for (const double per_bag : table.ids_per_bag) ids += per_bag;
  settings.unknown_slots = std::max(settings.unknown_slots, Index(2 * ids * double(train.batch_size)));
  return settings;
}

}  // namespace

void make_run_folder(const RunSettings& run) {
  std::error_code ignored;
  std::filesystem::create_directories(run.folder(), ignored);
}

embedding::MakeRowStore row_stores(const Job& job) {
  tiers::DiskSettings settings;
  settings.folder = job.disk_folder();
  settings.cache = job.plan.cache;
  for (const auto& [table, constraints] : job.plan.tables)
    if (constraints.cache) settings.table_caches[table] = *constraints.cache;
  const embedding::MakeRowStore on_disk = tiers::disk_rows(settings);
  const embedding::MakeRowStore on_host =
      tiers::host_cached_rows({.cache = settings.cache, .table_caches = settings.table_caches});
  return [=, train = job.train, run = job.run](const Exec& exec, const embedding::TableShard& shard) {
    if (shard.config.grows()) return tiers::growing_rows(growth_of(shard.config, train))(exec, shard);
    if (shard.kernel == embedding::ComputeKernel::disk) {
      make_run_folder(run);
      return on_disk(exec, shard);
    }
    if (shard.kernel == embedding::ComputeKernel::host_cached) return on_host(exec, shard);
    return embedding::memory_rows(exec, shard);
  };
}

}  // namespace tesserec::train
