// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>
#include <vector>

#include <tesserec/core/text.hpp>
#include <tesserec/planning/planner.hpp>
#include <tesserec/tiers/cache_slots.hpp>
#include <tesserec/train/caches.hpp>

namespace tesserec::train {

std::string enlarged_caches(const Session& session) {
  const planning::Settings& plan = session.job.plan;
  const auto& tables = session.model.tables();
  std::map<std::string, double> own;
  for (const auto& [table, constraints] : plan.tables)
    if (constraints.cache) own[table] = *constraints.cache;
  std::vector<std::string> enlarged;
  for (std::size_t t = 0; t < tables.tables().size(); ++t) {
    const embedding::EmbeddingBagConfig& config = tables.tables()[t];
    const planning::ParameterSharding& sharding = tables.plan()[t];
    const bool is_cached =
        sharding.kernel == embedding::ComputeKernel::disk || sharding.kernel == embedding::ComputeKernel::host_cached;
    if (!is_cached) continue;
    const OptimizerSettings& optimizer = session.job.optimizer;
    tiers::CacheSlots all;
    for (const planning::Shard& shard : sharding.shards) {
      const tiers::CacheSlots one = tiers::cache_slots(
          {.config = config,
           .blocks = shard.blocks,
           .columns = shard.columns,
           .optimizer = planning::optimizer_of(config, sharding.kernel, optimizer.sparse, optimizer.dense)},
          plan.cache, own);
      all.asked += one.asked;
      all.slots += one.slots;
    }
    if (all.slots <= all.asked) continue;
    const auto given = own.find(config.name);
    const std::string key = given == own.end() ? "plan.cache" : concat("plan.tables.", config.name, ".cache");
    enlarged.push_back(concat(config.name, " ", all.slots, " rows instead of ", all.asked, " (", key, " = ",
                              shortest(given == own.end() ? plan.cache : given->second), ")"));
  }
  if (enlarged.empty()) return "";
  return concat("caches of at least ", tiers::least_cached_rows,
                " rows, or all rows, for each shard: ", join(enlarged));
}

}  // namespace tesserec::train
