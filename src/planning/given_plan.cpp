// SPDX-License-Identifier: Apache-2.0
// Check of a given plan against the deck's constraints. A plan that violates one is refused.
#include <set>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/planning/plan_file.hpp>

namespace tesserec::planning {
namespace {

void check_table(const Settings& settings, const embedding::EmbeddingBagConfig& table,
                 const ParameterSharding& sharding) {
  const auto refuse = [&](const std::string& fact, const std::string& key, const std::string& allowed) {
    fail(settings.file, ": table ", table.name, ": the plan ", fact, ", but ", key, " is ", allowed,
         "; remove that key, or make another plan");
  };
  const std::string type = std::string("is ") + name(sharding.type);
  const auto found = settings.tables.find(table.name);
  const ParameterConstraints demand = found == settings.tables.end() ? ParameterConstraints{} : found->second;
  const std::string key = "plan.tables." + table.name + ".";
  if (!demand.sharding.allow(sharding.type))
    refuse(type, key + "sharding", join(demand.sharding.list, ", ", [](ShardingType type) { return name(type); }));
  if (demand.sharding.empty() && settings.default_type && *settings.default_type != sharding.type)
    refuse(type, "plan.default", name(*settings.default_type));
  const ComputeKernels& kernels = demand.kernel ? demand.kernel : settings.kernel;
  if (kernels && !kernels.has(sharding.kernel))
    refuse(std::string("has kernel ") + name(sharding.kernel), demand.kernel ? key + "kernel" : "plan.kernel",
           join(kernels.list, ", ", [](ComputeKernel kernel) { return name(kernel); }));

  std::vector<int> owners;
  std::set<Index> columns;  // first column of each column piece
  for (const Shard& shard : sharding.shards) {
    owners.push_back(shard.rank);
    columns.insert(shard.columns.begin);
  }
  const auto pieces = std::ssize(columns);
  if (!demand.ranks.empty() && owners != demand.ranks)
    refuse("lies on ranks " + join(owners), key + "ranks", join(demand.ranks));
  if (demand.ranks.empty() && demand.min_partition && pieces > 1 &&
      table.embedding_dim / pieces < *demand.min_partition)
    refuse(concat("has its ", table.embedding_dim, " columns in ", pieces, " pieces"), key + "min_partition",
           std::to_string(*demand.min_partition));
}

}  // namespace

ShardingPlan read_given_plan(const Settings& settings, std::span<const embedding::EmbeddingBagConfig> tables,
                             int ranks) {
  try {
    ShardingPlan plan = read_plan(settings.file, tables, ranks);
    if (!settings.replicas.allow(replicas(plan)))
      fail(settings.file, ": the plan has ", counted(replicas(plan), "replica group"), ", but plan.replicas is ",
           join(settings.replicas.list), "; remove that key, or make another plan");
    for (std::size_t t = 0; t < tables.size(); ++t) check_table(settings, tables[t], plan[t]);
    return plan;
  } catch (const Error& error) {
    fail("plan.file: ", error.what());
  }
}

}  // namespace tesserec::planning
