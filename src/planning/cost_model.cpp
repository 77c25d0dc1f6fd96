// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "problem.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::planning {
namespace {

/// Messages of a step between two ranks of a group: counts, ids, vectors and gradients. Between two copies there are
/// errors, counts, rows and gradients.
constexpr double messages_a_step = 4;

/// Returns the seconds of one message from a rank to all others.
double latency_of(const Topology& ranks) {
  return (ranks.ranks_per_node - 1) * ranks.costs.inside_latency +
         (ranks.ranks - ranks.ranks_per_node) * ranks.costs.between_latency;
}

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
      group_(topology_.group()),
      settings_(std::move(settings)),
      sparse_(sparse),
      dense_(dense),
      global_batch_(global_batch) {}

CostModel CostModel::in_groups(int replicas) const {
  return {topology_.in_groups(replicas), settings_, sparse_, dense_, global_batch_};
}

ParameterConstraints CostModel::constraints(const std::string& table) const {
  const auto found = settings_.tables.find(table);
  ParameterConstraints demand = found == settings_.tables.end() ? ParameterConstraints{} : found->second;
  if (demand.sharding.empty() && settings_.default_type) demand.sharding = *settings_.default_type;
  if (!demand.kernel) demand.kernel = settings_.kernel;
  if (!demand.kernel) demand.kernel = ComputeKernel::fused;
  ComputeKernels usable = demand.kernel;
  std::erase_if(usable.list, [&](ComputeKernel kernel) { return !has_kernel(topology_.device, kernel); });
  if (usable) demand.kernel = usable;  // else costs() refuses them
  demand.cache = demand.cache.value_or(settings_.cache);
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
  require_kernel(table.name, topology_.device, kernel);
  return {table, demand, optimizer(table, kernel), topology_, global_batch_};
}

double CostModel::latency() const { return messages_a_step * (latency_of(group_) + latency_of(topology_.copies())); }

PlanEstimate CostModel::evaluate(std::span<const embedding::EmbeddingBagConfig> tables,
                                 const ShardingPlan& plan) const {
  const std::size_t ranks = group_.ranks;
  PlanEstimate estimate;
  std::vector<Cost> owned(ranks);
  estimate.holds.resize(ranks);
  Cost everywhere{{.latency = latency()}, 0};
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const TableCosts costs = this->costs(tables[t], plan[t].kernel);
    const auto hold = [&](RankBytes& rank, Index rows, Index columns) {
      embedding::EmbeddingBagConfig piece = tables[t];
      piece.embedding_dim = columns;
      const double weights = double(rows) * double(columns) * double(bytes_of(piece.weight_format()));
      const double all = double(table_bytes(piece, optimizer(piece, plan[t].kernel), rows));
      const RowStorage& storage = costs.storage();
      rank.rows += storage.resident * weights + storage.fixed + storage.index * double(rows);
      rank.states += storage.resident * (all - weights);
      rank.disk += storage.file * all;
      rank.host += storage.host * all + storage.host_index * double(rows);
    };
    Cost total, common;
    if (plan[t].type == ShardingType::data_parallel) {
      common = costs.copy_cost();
      for (RankBytes& rank : estimate.holds) hold(rank, tables[t].rows().size(), costs.dim());
    }
    for (const Shard& shard : plan[t].shards) {
      const ShardCost cost = costs.cost(shard, plan[t]);
      hold(estimate.holds[shard.rank], tables[t].blocks().rows(shard.blocks).size(), shard.columns.size());
      owned[shard.rank] += cost.owner;
      total += cost.owner;
      common += cost.common;
    }
    everywhere += common;
    total += common * double(ranks);
    estimate.table_seconds.push_back(total.seconds.sum() * topology_.replicas);
    estimate.table_bytes.push_back(total.bytes * topology_.replicas);
  }
  for (Cost& cost : owned) {
    cost += everywhere;
    estimate.split.push_back(cost.seconds);
    estimate.seconds.push_back(cost.seconds.sum());
    RankBytes& holds = estimate.holds[estimate.bytes.size()];
    holds.messages = std::max(0.0, cost.bytes - holds.rows - holds.states);
    estimate.bytes.push_back(cost.bytes);
  }
  const auto repeat = [&](auto& of_ranks) {  // all groups are alike
    of_ranks.reserve(topology_.ranks);
    for (std::size_t r = ranks; r < std::size_t(topology_.ranks); ++r) of_ranks.push_back(of_ranks[r - ranks]);
  };
  repeat(estimate.seconds);
  repeat(estimate.bytes);
  repeat(estimate.holds);
  repeat(estimate.split);
  return estimate;
}

std::string exact_bytes_text(double bytes) { return fixed(std::ceil(bytes), 0) + " bytes (" + bytes_text(bytes) + ")"; }

std::string batch_advice(double bytes, double own, Index batch) {
  if (bytes < 2 * own) return "";
  return concat("A batch of ", batch, " samples takes most of it: lower train.batch_size. ");
}

namespace {

/// Returns advice to keep rows beyond the memory of kernels, unless they are.
std::string tier_advice(const ComputeKernels& kernels, const std::string& device) {
  if (device == "cuda")
    return kernels.has(ComputeKernel::host_cached) ? ""
                                                   : "; rows may lie in host memory (plan.kernel = \"host_cached\")";
  return kernels.has(ComputeKernel::disk) ? "" : "; on hosts rows may lie on a disk (plan.kernel = \"disk\")";
}

}  // namespace

void CostModel::require_memory(std::span<const embedding::EmbeddingBagConfig> tables) const {
  const double usable = double(topology_.usable_memory()), capacity = group_.ranks * usable;
  double total = 0, largest_bytes = 0;
  std::string largest;
  for (const embedding::EmbeddingBagConfig& table : tables) {
    double bytes = infinity;
    for (const ComputeKernel kernel : constraints(table.name).kernel.list)
      bytes = std::min(bytes, costs(table, kernel).whole_bytes());
    if (bytes > largest_bytes) {
      largest_bytes = bytes;
      largest = table.name;
    }
    total += bytes;
  }
  if (total <= capacity) return;
  const bool groups = topology_.replicas > 1;
  const std::string of_groups = groups ? concat(" of each of ", topology_.replicas, " groups") : "";
  const std::string fewer_groups = groups ? " or a smaller plan.replicas" : "";
  const std::string ranks_have = counted(group_.ranks, "rank") + of_groups + (group_.ranks == 1 ? " has " : " have ");
  fail("the tables do not fit: weights and optimizer states need ", exact_bytes_text(total), ", but ", ranks_have,
       exact_bytes_text(capacity), " (plan.memory = ", topology_.memory, " bytes per rank", topology_.reductions_text(),
       "); ", exact_bytes_text(total - capacity), " are missing. The largest table is \"", largest, "\" with ",
       exact_bytes_text(largest_bytes), ". Set plan.memory = ", topology_.memory_for(1.05 * total / group_.ranks),
       " or more, or use about ", topology_.replicas * Index(std::ceil(1.05 * total / usable)), " ranks", fewer_groups,
       tier_advice(constraints(largest).kernel, topology_.device));
}

void CostModel::require_fits(std::span<const embedding::EmbeddingBagConfig> tables, const ShardingPlan& plan) const {
  const double usable = topology_.usable_memory();
  const PlanEstimate estimate = evaluate(tables, plan);
  const auto fullest = std::ranges::max_element(estimate.bytes);
  if (fullest == estimate.bytes.end() || *fullest <= usable) return;
  const int rank = fullest - estimate.bytes.begin();

  std::size_t largest = 0;  // table with the most bytes on that rank
  double largest_bytes = -1;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const TableCosts costs = this->costs(tables[t], plan[t].kernel);
    double bytes = plan[t].type == ShardingType::data_parallel ? costs.data_parallel().bytes : 0;
    for (const Shard& shard : plan[t].shards)
      if (shard.rank == rank % group_.ranks) bytes += costs.shard(shard, plan[t]).owner.bytes;
    if (bytes > largest_bytes) {
      largest_bytes = bytes;
      largest = t;
    }
  }
  const double total = std::accumulate(estimate.bytes.begin(), estimate.bytes.end(), 0.0);
  double own = 0;
  for (std::size_t t = 0; t < tables.size(); ++t) own += costs(tables[t], plan[t].kernel).whole_bytes();
  const Index ranks = std::ceil(1.05 * total / usable);
  const embedding::EmbeddingBagConfig& table = tables[largest];
  const std::string freed =
      constraints(table.name).sharding.forced() ? "plan.tables." + table.name + ".sharding = \"auto\", or " : "";
  const std::string more_ranks = ranks > topology_.ranks ? ", or use about " + std::to_string(ranks) + " ranks" : "";
  fail("the plan does not fit: rank ", rank, " needs ", exact_bytes_text(*fullest), ", but has ",
       exact_bytes_text(usable), " (plan.memory = ", topology_.memory, " bytes", topology_.reductions_text(), "); ",
       exact_bytes_text(*fullest - usable), " are missing. ", batch_advice(*fullest, own, global_batch_),
       "Its largest table is \"", table.name, "\" (", name(plan[largest].type), ") with ",
       exact_bytes_text(largest_bytes), ". Set ", freed, "plan.memory = ", topology_.memory_for(*fullest), more_ranks);
}

void CostModel::require_host_memory(const PlanEstimate& estimate) const {
  const double has = double(topology_.host_memory) * (1 - topology_.reserve);
  const auto fullest = std::ranges::max_element(estimate.holds, {}, &RankBytes::host);
  if (has == 0 || fullest == estimate.holds.end() || fullest->host <= has) return;
  fail("rank ", fullest - estimate.holds.begin(), " needs ", exact_bytes_text(fullest->host),
       " of host memory for rows of kernel \"host_cached\", but has ", exact_bytes_text(has), " (",
       topology_.host_memory,
       " bytes, less plan.reserve). Use ranks on more nodes, or kernel \"fused\" for some tables");
}

}  // namespace tesserec::planning
