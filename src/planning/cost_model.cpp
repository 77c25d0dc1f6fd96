// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include <tesserec/planning/cost_model.hpp>

namespace tesserec::planning {
namespace {

constexpr double id_bytes = 8, length_bytes = 4, float_bytes = 4;
/// Scratch of an id at its owner: the id, its place, and two RowUse of the sort.
constexpr double id_scratch = 64;
/// Buffers are grown by an eighth more than asked for.
constexpr double growth = 1.125;
/// Ids, vectors and gradients, and the counts before them.
constexpr double messages_a_step = 4;

/// Of all rounds.
int total_row_sums(optim::Type type) {
  const std::vector<int>& sums = optim::info(type).row_sums;
  return std::accumulate(sums.begin(), sums.end(), 0);
}

/// Of the table's ids.
double unpooled_share(const embedding::EmbeddingBagConfig& table) {
  double all = 0, unpooled = 0;
  for (std::size_t f = 0; f < table.feature_names.size(); ++f) {
    const double ids = table.ids_per_bag.empty() ? 1 : table.ids_per_bag[f];
    all += ids;
    if (!table.pools(f)) unpooled += ids;
  }
  return all > 0 ? unpooled / all : 0;
}

double ids_per_bag(const ParameterConstraints& constraints) {
  return constraints.pooling_factor > 0 ? constraints.pooling_factor : 1;
}

}  // namespace

TableCosts::TableCosts(const embedding::EmbeddingBagConfig& table, const ParameterConstraints& constraints,
                       const optim::Settings& optimizer, const Topology& topology, Index global_batch)
    : blocks_(table.num_embeddings),
      frequencies_(double(table.num_embeddings), constraints.zipf.value_or(0)),
      table_rows_(double(table.num_embeddings)),
      dim_(double(table.embedding_dim)),
      ranks_(topology.ranks),
      bags_(double(global_batch) * double(table.feature_names.size())),
      ids_(bags_ * ids_per_bag(constraints)),
      touched_(frequencies_.distinct(ids_)),
      rank_touched_(frequencies_.distinct(ids_ / ranks_)),
      unpooled_ids_(ids_ * unpooled_share(table)),
      pooled_bags_(bags_ - double(global_batch) * double(table.unpooled.size())),
      bag_ids_(pooled_bags_ > 0 ? frequencies_.as_uniform((ids_ - unpooled_ids_) / pooled_bags_) : 0),
      exchange_levels_(topology.exchange_levels),
      ranks_per_node_(topology.ranks_per_node),
      forward_(topology.exchange.forward / float_bytes),
      backward_(topology.exchange.backward / float_bytes),
      inside_wire_((1 - 1.0 / ranks_per_node_) / topology.costs.inside_bytes),
      between_wire_((1 - ranks_per_node_ / ranks_) / topology.costs.between_bytes),
      wire_(ranks_per_node_ / ranks_ * inside_wire_ + between_wire_),
      dense_(constraints.kernel.has(ComputeKernel::dense)),
      row_sums_(total_row_sums(optimizer.type)),
      machine_(topology.costs) {
  for (const optim::StateInfo& state : optim::states(optimizer.type)) (state.per_row ? row_states_ : states_) += 1;
  // Caches hold the most frequent rows of the whole table, so that its shards are costed alike.
  const double hot = std::min(table_rows_, machine_.cached_bytes / (dim_ * float_bytes));
  const auto seconds = [](double cached, double rate, double other) { return cached / rate + (1 - cached) / other; };
  const auto of_distinct = [&](double ids, double all) { return all > 0 ? frequencies_.distinct(ids, hot) / all : 0; };
  const auto read = [&](double cached) { return seconds(cached, machine_.cached_row_reads, machine_.row_reads); };
  row_seconds_.read = read(frequencies_.share(hot));
  row_seconds_.read_once = read(of_distinct(ids_ / ranks_, rank_touched_));
  row_seconds_.update = seconds(of_distinct(ids_, touched_), machine_.cached_row_updates, machine_.row_updates);
}

double TableCosts::rows(Range blocks) const { return double(blocks_.rows(blocks).size()); }

double TableCosts::filled(double share) const {
  const double some = share >= 1 ? 1 : -std::expm1(bag_ids_ * std::log1p(-share));
  return std::min(some, bag_ids_ * share);
}

double TableCosts::vectors(Range blocks) const {
  if (blocks.size() == embedding::RowBlocks::count) return whole_vectors();
  double sum = 0;
  for (Index at = blocks.begin; at < blocks.end;) {  // the largest whole subtrees, from the left
    Index size = at == 0 ? embedding::RowBlocks::count : at & -at;
    while (at + size > blocks.end) size /= 2;
    sum += filled(rows({at, at + size}) / table_rows_);
    at += size;
  }
  return sum;
}

double TableCosts::update_seconds(double all_rows, double touched_rows, double columns) const {
  const double row_bytes = float_bytes * (columns * (1 + states_) + row_states_);
  if (dense_) return all_rows * (row_bytes + float_bytes * columns) / machine_.update_bytes;
  return touched_rows * ((1 + states_ + row_states_) * row_seconds_.update + row_bytes / machine_.update_bytes);
}

double TableCosts::weight_bytes(double rows, double columns) const {
  return rows * float_bytes * (columns * (1 + states_ + (dense_ ? 1 : 0)) + row_states_);
}

ShardLoad TableCosts::shard(Range blocks, Range columns, ExchangeForm form) const {
  const double own = rows(blocks);
  return load(own, filled(own / table_rows_), form == ExchangeForm::pooled ? vectors(blocks) : 0,
              double(columns.size()), form);
}

ShardLoad TableCosts::shard(const Shard& shard, const ParameterSharding& sharding) const {
  if (exchange_levels_ < 2 || !by_two_levels(sharding, int(ranks_), ranks_per_node_))
    return this->shard(shard.blocks, shard.columns,
                       sharding.form == ExchangeForm::rows ? ExchangeForm::rows : ExchangeForm::pooled);
  const auto& shards = sharding.shards;
  const double row_cuts =
      std::count_if(shards.begin(), shards.end(), [&](const Shard& other) { return other.columns == shard.columns; });
  const double all = double(shards.size()), nodes = ranks_ / ranks_per_node_;
  const double together =
      sharding.type == ShardingType::grid ? all / std::min(all / row_cuts, nodes) : all;  // on a node
  const double own = rows(shard.blocks), width = double(shard.columns.size());
  const MachineCosts& m = machine_;
  // Inside the node relays ask for the samples of all ranks.
  const ShardLoad inside =
      load(own, filled(own / table_rows_), vectors(shard.blocks), width, ExchangeForm::pooled, inside_wire_);
  ShardLoad load{inside.owner, {}};
  load.owner += {ranks_ * inside.each.seconds, ranks_ * inside.each.bytes};
  // Between nodes: this shard's part of ids and lengths, of one vector a bag, and of its gradient.
  const double ids = ids_ / together, bags = bags_ / together;
  const double finished = (pooled_bags_ * filled(1) + unpooled_ids_) * float_bytes * width / row_cuts;
  const double ids_and_lengths = ids * id_bytes + bags * length_bytes;
  const double message = ids_and_lengths + (forward_ + backward_) * finished;
  const double held = message + (rounded() ? 2 * finished : 0);
  const double work = ids / m.ids + bags / m.bags + finished / m.add_bytes + message * between_wire_;
  load.owner += {work, growth * held};
  load.each = {work / ranks_, growth * held / ranks_};
  return load;
}

ShardLoad TableCosts::load(double own_rows, double filled, double vectors, double width, ExchangeForm form) const {
  return load(own_rows, filled, vectors, width, form, wire_);
}

ShardLoad TableCosts::load(double own_rows, double filled, double vectors, double width, ExchangeForm form,
                           double wire) const {
  const double share = own_rows / table_rows_, vector = float_bytes * width;
  const double ids = ids_ * share, moved = touched_ * share;
  const MachineCosts& m = machine_;
  ShardLoad load;
  // In and out of the owner: its wire carries all of it, the wire of each samples' rank a share.
  double message = 0, held = 0, asked = 0, sums = 0, read = row_seconds_.read;
  if (form == ExchangeForm::pooled) {
    const double vectors_out = (pooled_bags_ * vectors + unpooled_ids_ * share * forward_) * vector;
    const double gradients_in = (pooled_bags_ * filled + unpooled_ids_ * share) * vector * backward_;
    message = ids * id_bytes + bags_ * length_bytes + vectors_out + gradients_in;
    // What is rounded lies there in 32 bits too.
    held = message + (rounded() ? vectors_out / forward_ + gradients_in / backward_ : 0);
    asked = sums = ids;
    load.each.seconds = ids / ranks_ / m.ids + vectors_out / ranks_ / m.add_bytes;
    load.owner.seconds = bags_ / m.bags;
  } else {
    const double rows_asked = ranks_ * rank_touched_ * share;
    read = row_seconds_.read_once;
    held = message = rows_asked * (id_bytes + 2 * vector);
    asked = sums = rows_asked;
    load.each.seconds = ids / ranks_ * (1 / m.fetched_ids + 2 * vector / m.read_bytes) +  // order, pool, sum gradients
                        (pooled_bags_ * filled + unpooled_ids_ * share) / ranks_ * vector / m.add_bytes;
    load.each.bytes = growth * ids / ranks_ * id_scratch;
  }
  load.owner.seconds += message * wire + asked * (1 / m.ids + read + vector / m.read_bytes) +
                        sums * vector / m.read_bytes + update_seconds(own_rows, moved, width);
  if (width < dim_) load.owner.seconds += 2 * row_sums_ * moved * float_bytes * wire_;
  load.owner.bytes = weight_bytes(own_rows, width) + growth * (held + asked * id_scratch);
  load.each.seconds += bags_ / ranks_ / m.bags + message / ranks_ * wire;
  load.each.bytes += growth * held / ranks_;
  return load;
}

Load TableCosts::data_parallel() const {
  const double vector = float_bytes * dim_, own_ids = ids_ / ranks_;
  const double own_rows = rank_touched_, sum_bytes = own_rows * (vector + 2 * id_bytes);
  const MachineCosts& m = machine_;
  Load load;
  load.seconds = bags_ / ranks_ * 2 / m.bags +
                 (pooled_bags_ * filled(1) + unpooled_ids_) / ranks_ * vector / m.add_bytes +
                 own_ids * (2 / m.ids + row_seconds_.read + 2 * vector / m.read_bytes) + ranks_ * own_rows / m.ids +
                 2 * sum_bytes * ranks_ * wire_ + ranks_ * own_rows * vector / m.add_bytes +
                 update_seconds(table_rows_, touched_, dim_);
  load.bytes = weight_bytes(table_rows_, dim_) + growth * (own_ids * id_scratch + (ranks_ + 1) * sum_bytes);
  return load;
}

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
  std::vector<Load> owned(ranks);
  Load everywhere{latency(), 0};
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const TableCosts costs = this->costs(tables[t], plan[t].kernel);
    Load all, each;
    if (plan[t].type == ShardingType::data_parallel) each = costs.data_parallel();
    for (const Shard& shard : plan[t].shards) {
      const ShardLoad load = costs.shard(shard, plan[t]);
      owned[shard.rank] += load.owner;
      all += load.owner;
      each += load.each;
    }
    everywhere += each;
    estimate.table_seconds.push_back(all.seconds + double(ranks) * each.seconds);
    estimate.table_bytes.push_back(all.bytes + double(ranks) * each.bytes);
  }
  for (const Load& load : owned) {
    estimate.seconds.push_back(load.seconds + everywhere.seconds);
    estimate.bytes.push_back(load.bytes + everywhere.bytes);
  }
  return estimate;
}

}  // namespace tesserec::planning
