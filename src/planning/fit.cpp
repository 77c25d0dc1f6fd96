// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "problem.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/planning/cost_model.hpp>

namespace tesserec::planning {

std::string exact_bytes_text(double bytes) { return fixed(std::ceil(bytes), 0) + " bytes (" + bytes_text(bytes) + ")"; }

std::string batch_advice(double bytes, double own, Index batch) {
  if (bytes < 2 * own) return "";
  return concat("Most of it is for a batch of ", batch, " samples: lower train.batch_size. ");
}

void CostModel::require_room(std::span<const embedding::EmbeddingBagConfig> tables) const {
  const double usable = double(topology_.usable_memory()), room = topology_.ranks * usable;
  double all = 0, most = 0;
  std::string largest;
  for (const embedding::EmbeddingBagConfig& table : tables) {
    double bytes = std::numeric_limits<double>::infinity();
    for (const ComputeKernel kernel : constraints(table.name).kernel.list)
      bytes = std::min(bytes, costs(table, kernel).whole_bytes());
    if (bytes > most) {
      most = bytes;
      largest = table.name;
    }
    all += bytes;
  }
  if (all <= room) return;
  fail("the tables do not fit: with optimizer state they have ", exact_bytes_text(all), ", and ",
       counted(topology_.ranks, "rank"), topology_.ranks == 1 ? " has " : " have ", exact_bytes_text(room),
       " (plan.memory ", topology_.memory, " each", topology_.lessened(), "); ", exact_bytes_text(all - room),
       " are missing. The largest is ", largest, " with ", exact_bytes_text(most),
       ". It takes plan.memory = ", topology_.memory_for(1.05 * all / topology_.ranks), " or more, or about ",
       Index(std::ceil(1.05 * all / usable)), " ranks");
}

void CostModel::require_fits(std::span<const embedding::EmbeddingBagConfig> tables, const ShardingPlan& plan) const {
  const double usable = topology_.usable_memory();
  const PlanEstimate estimate = evaluate(tables, plan);
  const auto fullest = std::max_element(estimate.bytes.begin(), estimate.bytes.end());
  if (fullest == estimate.bytes.end() || *fullest <= usable) return;
  const int rank = fullest - estimate.bytes.begin();

  std::size_t largest = 0;  // the table with most bytes on that rank
  double most = -1;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const TableCosts costs = this->costs(tables[t], plan[t].kernel);
    double bytes = plan[t].type == ShardingType::data_parallel ? costs.data_parallel().bytes : 0;
    for (const Shard& shard : plan[t].shards)
      if (shard.rank == rank) bytes += costs.shard(shard, plan[t]).owner.bytes;
    if (bytes > most) {
      most = bytes;
      largest = t;
    }
  }
  double all = 0, own = 0;
  for (const double bytes : estimate.bytes) all += bytes;
  for (std::size_t t = 0; t < tables.size(); ++t) own += costs(tables[t], plan[t].kernel).whole_bytes();
  const Index ranks = std::ceil(1.05 * all / usable);
  const embedding::EmbeddingBagConfig& table = tables[largest];
  const std::string freed =
      constraints(table.name).sharding.forced() ? "plan.tables." + table.name + ".sharding = \"auto\", or with " : "";
  const std::string more_ranks = ranks > topology_.ranks ? ", or on about " + std::to_string(ranks) + " ranks" : "";
  fail("the plan does not fit: rank ", rank, " needs ", exact_bytes_text(*fullest), " and has ",
       exact_bytes_text(usable), " (plan.memory ", topology_.memory, topology_.lessened(), "); ",
       exact_bytes_text(*fullest - usable), " are missing. ", batch_advice(*fullest, own, global_batch_),
       "Its largest table is ", table.name, ", ", name(plan[largest].type), ", with ", exact_bytes_text(most),
       ". It would fit with ", freed, "plan.memory = ", topology_.memory_for(*fullest), more_ranks);
}

}  // namespace tesserec::planning
