// SPDX-License-Identifier: Apache-2.0
#include "problem.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::planning {
namespace {

std::string reason(const embedding::EmbeddingBagConfig& table, const ParameterSharding& sharding,
                   const CostModel& model, double seconds) {
  const ParameterConstraints demand = model.constraints(table.name);
  if (!demand.ranks.empty() || demand.sharding.forced()) return "set by the deck";
  if (model.topology().ranks == 1) return "one rank";
  if (sharding.type == ShardingType::data_parallel) return counted(table.rows().size(), "row") + ", copies are cheap";
  if (model.group().ranks == 1) return "one rank per replica group";
  if (sharding.shards.size() == 1) return "cheapest whole";
  const TableCosts costs = model.costs(table, sharding.kernel);
  const ShardLoad whole = costs.shard({0, embedding::block_count}, {0, table.embedding_dim}, ExchangeForm::pooled);
  if (whole.owner.bytes + whole.common.bytes > double(model.topology().usable_memory())) return "does not fit one rank";
  if (whole.owner.seconds + whole.common.seconds > seconds) return "too slow for one rank";
  return "evens out the ranks";
}

}  // namespace

std::vector<std::string> reasons(std::span<const embedding::EmbeddingBagConfig> tables, const ShardingPlan& plan,
                                 const CostModel& model, double seconds) {
  std::vector<std::string> texts;
  for (std::size_t t = 0; t < tables.size(); ++t) texts.push_back(reason(tables[t], plan[t], model, seconds));
  return texts;
}

}  // namespace tesserec::planning
