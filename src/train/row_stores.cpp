// SPDX-License-Identifier: Apache-2.0
#include "row_stores.hpp"

#include <filesystem>
#include <memory>

#include <tesserec/core/error.hpp>
#include <tesserec/tiers/disk_rows.hpp>

namespace tesserec::train {

embedding::MakeRowStore row_stores(const planning::Settings& plan, const std::string& folder) {
  tiers::DiskSettings settings;
  settings.folder = plan.disk_folder.empty() ? folder : plan.disk_folder;
  settings.cache = plan.cache;
  for (const auto& [table, constraints] : plan.tables)
    if (constraints.cache) settings.table_caches[table] = *constraints.cache;
  // The stores of all tables share one queue of transfers, which exists once a table needs it.
  const auto on_disk = std::make_shared<embedding::MakeRowStore>();
  return [=](const Exec& exec, const embedding::TableShard& shard) {
    if (shard.kernel != embedding::ComputeKernel::disk) return embedding::memory_rows(exec, shard);
    if (!*on_disk) {
      std::error_code error;
      std::filesystem::create_directories(settings.folder, error);
      if (error)
        fail(settings.folder, ": cannot make this folder for rows on disk: ", error.message(),
             "; set plan.disk_folder");
      *on_disk = tiers::disk_rows(settings);
    }
    return (*on_disk)(exec, shard);
  };
}

}  // namespace tesserec::train
