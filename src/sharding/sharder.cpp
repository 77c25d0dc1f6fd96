// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/sharding/sharder.hpp>

namespace tesserec::sharding {
namespace {

template <class Value>
void require(const std::vector<Value>& offered, Value chosen, const std::string& table, const std::string& kind) {
  if (std::find(offered.begin(), offered.end(), chosen) != offered.end()) return;
  const std::string names = join(offered, ", ", [](Value value) { return planning::name(value); });
  fail("table ", table, ": the sharder does not offer ", kind, " \"", planning::name(chosen), "\"; use ",
       names.empty() ? "another sharder" : "one of " + names);
}

}  // namespace

std::vector<planning::ShardingType> EmbeddingBagCollectionSharder::sharding_types() const {
  using enum planning::ShardingType;
  return {data_parallel, table_wise, column_wise, row_wise, table_row_wise, table_column_wise, grid};
}

std::vector<planning::ComputeKernel> EmbeddingBagCollectionSharder::compute_kernels(planning::ShardingType) const {
  using enum planning::ComputeKernel;
  return {fused, dense, host_cached, disk};
}

void EmbeddingBagCollectionSharder::check(const embedding::EmbeddingBagCollection& module,
                                          const planning::ShardingPlan& plan) const {
  for (std::size_t t = 0; t < plan.size(); ++t) {
    const std::string& table = module.tables()[t].name;
    require(sharding_types(), plan[t].type, table, "sharding type");
    require(compute_kernels(plan[t].type), plan[t].kernel, table,
            std::string(planning::name(plan[t].type)) + " with kernel");
  }
}

ShardedEmbeddingBagCollection EmbeddingBagCollectionSharder::shard(
    const Exec& exec, const embedding::EmbeddingBagCollection& module, const planning::ShardingPlan& plan,
    const ShardingEnv& env, const std::vector<std::string>& features, const Lanes& lanes, Levels levels) const {
  planning::check_plan(module.tables(), plan, env.size());
  check(module, plan);
  return ShardedEmbeddingBagCollection(exec, env, module.tables(), plan, features, lanes,
                                       {fused, dense, kernels, levels, exchange, store});
}

}  // namespace tesserec::sharding
