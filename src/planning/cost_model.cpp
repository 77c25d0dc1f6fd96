// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include <tesserec/planning/cost_model.hpp>

namespace tesserec::planning {
namespace {

/// Ids, vectors and gradients, and the counts before them.
constexpr double messages_a_step = 4;

}  // namespace

double PlanEstimate::critical_path() const {
  return seconds.empty() ? 0 : *std::max_element(seconds.begin(), seconds.end());
}

double PlanEstimate::imbalance() const {
  const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  return sum > 0 ? critical_path() * double(seconds.size()) / sum : 1;
}

CostModel::CostModel(Topology topology, Settings settings, const optim::Settings& sparse, const optim::Settings& dense,
                     Index global_batch)
    : topology_(std::move(topology)),
      settings_(std::move(settings)),
      sparse_(sparse),
      dense_(dense),
      global_batch_(global_batch) {}

ParameterConstraints CostModel::constraints(const std::string& table) const {
  const auto found = settings_.tables.find(table);
  ParameterConstraints demand = found == settings_.tables.end() ? ParameterConstraints{} : found->second;
  if (demand.sharding.empty() && settings_.default_type) demand.sharding = *settings_.default_type;
  if (!demand.kernel) demand.kernel = ComputeKernel::fused;
  demand.min_partition = demand.min_partition.value_or(32);
  return demand;
}

const optim::Settings& CostModel::optimizer(const embedding::EmbeddingBagConfig& table, ComputeKernel kernel) const {
  return optimizer_of(table, kernel, sparse_, dense_);
}

TableCosts CostModel::costs(const embedding::EmbeddingBagConfig& table, ComputeKernel kernel) const {
  ParameterConstraints demand = constraints(table.name);
  demand.kernel = kernel;
  check_kernel(table, kernel, optimizer(table, kernel));
  return {table, demand, optimizer(table, kernel), topology_, global_batch_};
}

double CostModel::latency() const {
  return messages_a_step * ((topology_.ranks_per_node - 1) * topology_.costs.inside_latency +
                            (topology_.ranks - topology_.ranks_per_node) * topology_.costs.between_latency);
}

PlanEstimate CostModel::evaluate(std::span<const embedding::EmbeddingBagConfig> tables,
                                 const ShardingPlan& plan) const {
  const std::size_t ranks = topology_.ranks;
  PlanEstimate estimate;
  std::vector<Cost> owned(ranks);
  estimate.holds.resize(ranks);
  Cost everywhere{{.latency = latency()}, 0};
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const TableCosts costs = this->costs(tables[t], plan[t].kernel);
    const auto hold = [&](RankBytes& rank, Index rows, Index columns) {
      embedding::EmbeddingBagConfig piece = tables[t];
      piece.embedding_dim = columns;
      const double weights = double(rows) * double(columns) * sizeof(float);
      rank.rows += weights;
      rank.states += double(table_bytes(piece, optimizer(piece, plan[t].kernel), rows)) - weights;
    };
    Cost all, each;
    if (plan[t].type == ShardingType::data_parallel) {
      each = costs.copy_cost();
      for (RankBytes& rank : estimate.holds) hold(rank, tables[t].rows().size(), costs.dim());
    }
    for (const Shard& shard : plan[t].shards) {
      const ShardCost cost = costs.cost(shard, plan[t]);
      hold(estimate.holds[shard.rank], tables[t].rows(shard.blocks).size(), shard.columns.size());
      owned[shard.rank] += cost.owner;
      all += cost.owner;
      each += cost.each;
    }
    everywhere += each;
    all += each * double(ranks);
    estimate.table_seconds.push_back(all.seconds.sum());
    estimate.table_bytes.push_back(all.bytes);
  }
  for (Cost& cost : owned) {
    cost += everywhere;
    estimate.split.push_back(cost.seconds);
    estimate.seconds.push_back(cost.seconds.sum());
    RankBytes& holds = estimate.holds[estimate.bytes.size()];
    holds.messages = std::max(0.0, cost.bytes - holds.rows - holds.states);
    estimate.bytes.push_back(cost.bytes);
  }
  return estimate;
}

}  // namespace tesserec::planning
