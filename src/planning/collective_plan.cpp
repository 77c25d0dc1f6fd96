// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include <tesserec/comm/same.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/planning/plan_file.hpp>

namespace tesserec::planning {
namespace {

using embedding::EmbeddingBagConfig;

std::string text_of(const EmbeddingBagConfig& table, const CostModel& model) {
  const ParameterConstraints demand = model.constraints(table.name);
  std::ostringstream text;
  text.precision(17);
  text << table.name << ' ' << table.rows().size() << ' ' << table.embedding_dim << ' '
       << tesserec::name(table.weight_format()) << ' ' << table.feature_names.size() << ' ' << *demand.min_partition
       << ' ' << demand.pooling_factor << ' ' << demand.zipf.value_or(0);
  if (demand.popular) {
    double sum = 0;
    for (const BlockRows& block_rows : demand.popular->rows)
      sum += double(block_rows.block + 1) * block_rows.rows * block_rows.share;
    text << ' ' << demand.popular->from << ' ' << demand.popular->rows.size() << ' ' << sum;
  }
  for (const ComputeKernel kernel : demand.kernel.list)
    text << ' ' << name(kernel) << ' ' << int(model.optimizer(table, kernel).type);
  text << ' ' << demand.cache.value_or(0);
  for (const std::string& feature : table.unpooled) text << ' ' << feature;
  for (const ShardingType type : demand.sharding.list) text << ' ' << name(type);
  for (const int rank : demand.ranks) text << ' ' << rank;
  return text.str();
}

std::string text_of(const Topology& topology, Index global_batch) {
  const MachineCosts& c = topology.costs;
  std::ostringstream text;
  text.precision(17);
  text << topology.ranks << ' ' << topology.ranks_per_node << ' ' << topology.exchange_levels << ' ' << topology.memory
       << ' ' << topology.reserve << ' ' << topology.taken << ' ' << topology.exchange.forward << ' '
       << topology.exchange.backward << ' ' << global_batch;
  for (const double x :
       {c.row_reads, c.cached_row_reads, c.read_bytes, c.vector_bytes, c.row_updates, c.cached_row_updates,
        c.update_bytes, c.cached_bytes, c.ids, c.fetched_ids, c.fetched_bytes, c.bags, c.add_bytes, c.inside_bytes,
        c.between_bytes, c.inside_latency, c.between_latency, c.disk_rows, c.host_bytes})
    text << ' ' << x;
  return text.str();
}

/// Returns the lowest rank whose text differs from rank 0's; -1 = none.
int other_rank(const comm::Communicator& comm, const std::string& text) {
  const std::vector<int> ranks = comm::ranks_that_differ(comm, text);
  return ranks.empty() ? -1 : ranks.front();
}

}  // namespace

ProvenPlan EmbeddingShardingPlanner::collective_plan(const comm::Communicator& comm,
                                                     std::span<const EmbeddingBagConfig> tables) const {
  const Topology& topology = model_.topology();
  if (topology.ranks != comm.size())
    fail("the plan is for ", counted(topology.ranks, "rank"), ", but the job has ", comm.size(),
         "; make a plan for this job");
  const Index count = comm.max(std::ssize(tables));
  if (comm.min(std::ssize(tables)) != count)
    fail("some rank has ", counted(count, "table"), ", but another rank has fewer; give all ranks the same tables");
  std::string shared_text = text_of(topology, model_.global_batch()) + std::to_string(settings_.min_rows) +
                            settings_.file + join(settings_.replicas.list);
  if (const int rank = other_rank(comm, shared_text); rank >= 0)
    fail("rank ", rank, " plans for another machine or batch than rank 0; give all ranks the same deck");
  std::string texts;
  for (const EmbeddingBagConfig& table : tables) texts += text_of(table, model_) + '\n';
  if (other_rank(comm, texts) >= 0)
    for (const EmbeddingBagConfig& table : tables)
      if (const int rank = other_rank(comm, text_of(table, model_)); rank >= 0)
        fail("table ", table.name, ": rank ", rank,
             " has other sizes or constraints than rank 0; give all ranks the same deck");

  // Rank 0 broadcasts its plan, or the message of its error.
  std::string text;
  bool failed = false;
  if (comm.rank() == 0) {
    try {
      text = plan_json(tables, settings_.file.empty() ? plan(tables) : given_plan(tables), topology,
                       model_.global_batch());
    } catch (const Error& error) {
      failed = true;
      text = error.what();
    }
  }
  failed = comm.max(Index{failed}) != 0;
  text = comm.broadcast(text, 0);
  if (failed) fail(text);
  ProvenPlan proven;
  proven.plan = parse_plan(text, "the plan of rank 0", tables, topology.ranks);
  proven.estimate = model_.in_groups(replicas(proven.plan)).evaluate(tables, proven.plan);
  const Json json = parse_json(text);
  proven.lower_bound = json.at("lower_bound_seconds").number();
  proven.exact = json.at("exact").boolean();
  proven.min_rows = json.at("min_rows").integer();
  return proven;
}

void require_same_plan(const comm::Communicator& comm, std::span<const EmbeddingBagConfig> tables,
                       const ShardingPlan& plan) {
  const auto text = [&](std::size_t t) {
    std::string line = concat(tables[t].name, ' ', name(plan[t].type), ' ', name(plan[t].kernel), ' ',
                              form_name(plan[t].form), ' ', plan[t].replicas);
    for (const Shard& s : plan[t].shards)
      for (const Index x : {Index{s.rank}, s.blocks.begin, s.blocks.end, s.columns.begin, s.columns.end})
        line += ' ' + std::to_string(x);
    return line;
  };
  std::string whole_text;
  for (std::size_t t = 0; t < plan.size(); ++t) whole_text += text(t) + '\n';
  const Index least = comm.min(std::ssize(plan)), greatest = comm.max(std::ssize(plan));
  if (least != greatest)
    fail("the plan of some rank has ", counted(least, "table"), ", but that of another rank has ", greatest,
         "; give all ranks the same plan");
  if (other_rank(comm, whole_text) < 0) return;
  for (std::size_t t = 0; t < plan.size(); ++t)
    if (const int rank = other_rank(comm, text(t)); rank >= 0)
      fail("table ", tables[t].name, ": rank ", rank, " has another plan than rank 0; give all ranks the same plan");
}

}  // namespace tesserec::planning
