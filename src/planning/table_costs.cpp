// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include <tesserec/planning/table_costs.hpp>

namespace tesserec::planning {
namespace {

constexpr double id_bytes = 8, length_bytes = 4, float_bytes = 4;
/// Scratch bytes of an id at its owner: the id, its place, and two RowUse of the sort (8 + 8 + 2 x 24).
constexpr double id_scratch = 64;
/// Scratch bytes of an id on a rank that works alone, which needs one RowUse (8 + 8 + 24).
constexpr double id_scratch_alone = 40;
/// Batches whose vectors and ids a rank holds at once if there are several ranks: train.pipeline has one in flight.
constexpr double in_flight = 2;
/// Growth of buffers, which are allocated an eighth larger than requested.
constexpr double growth = 1.125;

/// Costs the exchange of `rows` gradients of each copy among the ranks of `copies`, and their addition.
Cost gathered(double rows, double columns, const Topology& copies) {
  const Wire wire(copies);
  const double vector = float_bytes * columns, bytes = rows * (vector + 2 * id_bytes), count = copies.ranks;
  const StepSeconds seconds{.exchange = 2 * bytes * count * wire.all,
                            .update = count * rows * (1 / copies.costs.ids + vector * wire.add)};
  return {seconds, growth * (count + 1) * bytes};
}

}  // namespace

StepSeconds& StepSeconds::operator+=(const StepSeconds& other) {
  lookup += other.lookup;
  exchange += other.exchange;
  update += other.update;
  latency += other.latency;
  return *this;
}

StepSeconds StepSeconds::operator*(double times) const {
  return {.lookup = lookup * times, .exchange = exchange * times, .update = update * times, .latency = latency * times};
}

Cost& Cost::operator+=(const Cost& other) {
  seconds += other.seconds;
  bytes += other.bytes;
  return *this;
}

Traffic operator-(const Traffic& a, const Traffic& b) {
  Traffic rest;
  for (std::size_t i = 0; i < traffic_sizes; ++i) rest[i] = a[i] - b[i];
  return rest;
}

Traffic operator*(const Traffic& a, double times) {
  Traffic product;
  for (std::size_t i = 0; i < traffic_sizes; ++i) product[i] = a[i] * times;
  return product;
}

Wire::Wire(const Topology& topology)
    : add(topology.ranks > 1 ? 1 / topology.costs.add_bytes : 0),
      forward(topology.exchange.forward / float_bytes),
      backward(topology.exchange.backward / float_bytes) {
  const double on_node = double(topology.ranks_per_node) / topology.ranks;
  inside = (1 - 1.0 / topology.ranks_per_node) / topology.costs.inside_bytes;
  between = (1 - on_node) / topology.costs.between_bytes;
  all = on_node * inside + between;
  batches = topology.ranks > 1 ? in_flight : 1;
  buffers = batches * (1 - 1.0 / topology.ranks);
}

TableCosts::TableCosts(const embedding::EmbeddingBagConfig& table, const ParameterConstraints& constraints,
                       const optim::Settings& optimizer, const Topology& topology, Index global_batch)
    : blocks_(table.blocks()),
      dim_(double(table.embedding_dim)),
      traffic_(table, constraints, topology.group().ranks, double(global_batch) / topology.replicas),
      storage_(table, constraints, optimizer, traffic_.ids),
      machine_(topology),
      wire_(machine_.group) {
  add_up_blocks();
  whole_[traffic_filled] = filled(1);
  whole_[traffic_vectors] = filled(1) * wire_.forward;
}

void TableCosts::add_up_blocks() {
  const MachineCosts& m = machine_.group.costs;
  const TableTraffic& t = traffic_;
  std::vector<Traffic> by_block(t.even ? 0 : embedding::block_count);
  Traffic scattered{};
  // Caches hold the most frequent rows of the whole table, and an equal fraction of all rows of the same frequency.
  double hot = std::min(t.rows, m.cached_bytes / (dim_ * storage_.weight_bytes)), rows_alike = 0, share = 2;
  double kept =
      storage_.resident * t.rows;  // rows that stay in the cache of kernel disk or host_cached, the most frequent ones
  for (const IdFrequencies::Class& row_class : t.frequencies.classes()) {
    if (row_class.share < share) {
      hot -= rows_alike;
      kept -= rows_alike;
      share = row_class.share;
      rows_alike = t.frequencies.rows_with(share);
    }
    const double cached = std::clamp(hot / rows_alike, 0.0, 1.0);
    const double read = cached / m.cached_row_reads + (1 - cached) / m.row_reads;
    const double update = cached / m.cached_row_updates + (1 - cached) / m.row_updates;
    const double ids = row_class.rows * row_class.share * t.ids;
    const double per_rank = row_class.rows * IdFrequencies::found(t.ids / t.ranks, row_class.share);
    const double by_group = row_class.rows * IdFrequencies::found(t.ids, row_class.share);
    const double touched = row_class.rows * IdFrequencies::found(t.ids * machine_.all.replicas, row_class.share);
    Traffic& traffic = row_class.block == IdFrequencies::scattered ? scattered : by_block[row_class.block];
    const double missed = touched * (1 - std::clamp(kept / rows_alike, 0.0, 1.0));
    const Traffic more = {row_class.rows,   ids,    per_rank, by_group, touched, ids * read, per_rank * read,
                          touched * update, missed, 0,        0};
    for (std::size_t i = 0; i < traffic_sizes; ++i) traffic[i] += more[i];
  }
  if (t.even) {
    whole_ = scattered;
    whole_[traffic_rows] = t.rows;
    return;
  }
  upto_.resize(embedding::block_count + 1);
  for (Index b = 0; b < embedding::block_count; ++b) {
    const double rows = double(blocks_.rows({b, b + 1}).size());
    const double others =
        scattered[traffic_rows] > 0 ? (rows - by_block[b][traffic_rows]) / scattered[traffic_rows] : 0;
    for (std::size_t i = 0; i < traffic_sizes; ++i)
      upto_[b + 1][i] = upto_[b][i] + by_block[b][i] + others * scattered[i];
    upto_[b + 1][traffic_rows] = upto_[b][traffic_rows] + rows;
  }
  whole_ = upto_.back();
}

Traffic TableCosts::upto(Index block) const {
  if (!even()) return upto_[block];
  Traffic traffic = whole_ * (double(blocks_.rows({0, block}).size()) / traffic_.rows);
  traffic[traffic_rows] = double(blocks_.rows({0, block}).size());
  traffic[traffic_filled] = traffic[traffic_vectors] = 0;
  return traffic;
}

Traffic TableCosts::traffic(Range blocks) const {
  if (blocks.size() == embedding::block_count) return whole_;
  Traffic traffic = upto(blocks.end) - upto(blocks.begin);
  traffic[traffic_filled] = filled(traffic[traffic_ids] / whole_[traffic_ids]);
  traffic[traffic_vectors] = vectors(blocks);
  return traffic;
}

double TableCosts::vectors(Range blocks) const {
  double sum = 0;
  for (Index at = blocks.begin; at < blocks.end;) {  // the largest whole subtrees, from the left
    Index size = at == 0 ? embedding::block_count : at & -at;
    while (at + size > blocks.end) size /= 2;
    sum += filled((upto(at + size)[traffic_ids] - upto(at)[traffic_ids]) / whole_[traffic_ids]);
    at += size;
  }
  return sum;
}

double TableCosts::update_seconds(const Traffic& traffic, double columns) const {
  const double states = storage_.states, row_states = storage_.row_states;
  const MachineCosts& m = machine_.group.costs;
  const double row_bytes = columns * (storage_.weight_bytes + float_bytes * states) + float_bytes * row_states;
  if (storage_.dense) return traffic[traffic_rows] * (row_bytes + float_bytes * columns) / m.update_bytes;
  return (1 + states + row_states) * traffic[traffic_updates] + traffic[distinct_all] * row_bytes / m.update_bytes;
}

ShardCost TableCosts::cost(const Shard& shard, const ParameterSharding& sharding) const {
  if (machine_.group.exchange_levels >= 2 &&
      planning::by_two_levels(sharding, machine_.group.ranks, machine_.group.ranks_per_node))
    return by_two_levels(shard, sharding);
  return flat(shard.blocks, shard.columns,
              sharding.form == ExchangeForm::rows ? ExchangeForm::rows : ExchangeForm::pooled);
}

ShardLoad TableCosts::shard(Range blocks, Range columns, ExchangeForm form) const {
  return flat(blocks, columns, form).load();
}

ShardCost TableCosts::flat(Range blocks, Range columns, ExchangeForm form) const {
  return piece(traffic(blocks), double(columns.size()), form, wire_.all);
}

ShardCost TableCosts::by_two_levels(const Shard& shard, const ParameterSharding& sharding) const {
  const auto& shards = sharding.shards;
  const double row_cuts = std::ranges::count(shards, shard.columns, &Shard::columns);
  const double count = double(shards.size()), nodes = machine_.group.nodes();
  const double together =
      sharding.type == ShardingType::grid ? count / std::min(count / row_cuts, nodes) : count;  // shards per node
  const double width = double(shard.columns.size());
  const MachineCosts& m = machine_.group.costs;
  const TableTraffic& t = traffic_;
  // Relays look up the samples of all ranks inside the node.
  const ShardCost inside = piece(traffic(shard.blocks), width, ExchangeForm::pooled, wire_.inside);
  ShardCost cost{inside.owner, {}};
  cost.owner += inside.common * t.ranks;
  // Between nodes travels this shard's share of ids and lengths, of one vector per bag, and of its gradient.
  const double ids = t.ids / together, bags = t.bags / together;
  const double finished = (t.pooled_bags * filled(1) + t.unpooled_ids) * float_bytes * width / row_cuts;
  const double ids_and_lengths = ids * id_bytes + bags * length_bytes;
  const double message = ids_and_lengths + (wire_.forward + wire_.backward) * finished;
  const double stored = message + (wire_.rounded() ? 2 * finished : 0);
  const StepSeconds seconds{.lookup = ids / m.ids + bags / m.bags + finished * wire_.add,
                            .exchange = message * wire_.between};
  cost.owner += {seconds, wire_.batches * stored};
  cost.common = Cost{seconds, wire_.batches * stored} * (1 / t.ranks);
  return cost;
}

ShardCost TableCosts::piece(const Traffic& traffic, double width, ExchangeForm form, double wire) const {
  const TableTraffic& t = traffic_;
  const double vector = float_bytes * width, row = storage_.weight_bytes * width;
  const double ranks = t.ranks, ids = traffic[traffic_ids];
  const double scratch = ranks > 1 ? id_scratch : id_scratch_alone;
  const double unpooled = t.ids > 0 ? ids * t.unpooled_ids / t.ids : 0;
  const MachineCosts& m = machine_.group.costs;
  ShardCost cost;
  StepSeconds &owner = cost.owner.seconds, &common = cost.common.seconds;
  // The owner sends and receives all bytes of the piece, and each rank of samples sends and receives its share.
  double message = 0, stored = 0, requested = 0, sums = 0, reads = traffic[traffic_reads];
  const double pooled = (t.pooled_bags * traffic[traffic_filled] + unpooled) * vector;  // bytes of vectors or gradients
  if (form == ExchangeForm::pooled) {
    const double vectors_out = (t.pooled_bags * traffic[traffic_vectors] + unpooled * wire_.forward) * vector;
    const double gradients_in = pooled * wire_.backward;
    message = ids * id_bytes + t.bags * length_bytes + vectors_out + gradients_in;
    // Rounded vectors are held in 32 bits, too.
    stored = message + (wire_.rounded() ? vectors_out / wire_.forward + gradients_in / wire_.backward : 0);
    requested = sums = ids;
    common.lookup = ids / ranks / m.ids + vectors_out / ranks * wire_.add;
    owner.lookup = t.bags / m.bags + pooled / m.vector_bytes;
    owner.update = pooled / m.vector_bytes;
  } else {
    const double rows_requested = ranks * traffic[distinct_per_rank];
    reads = ranks * traffic[traffic_reads_once];
    stored = message = rows_requested * (id_bytes + 2 * vector);
    requested = sums = rows_requested;
    common.lookup = ids / ranks * (1 / m.fetched_ids + vector / m.fetched_bytes) +  // sorts ids and pools
                    pooled / ranks * (wire_.add + 1 / m.vector_bytes);
    common.update = (ids * vector / m.fetched_bytes + pooled / m.vector_bytes) / ranks;  // sums gradients
    cost.common.bytes = ids / ranks * scratch + wire_.batches * growth * 2 * pooled / ranks;
  }
  owner.lookup +=
      reads + requested * (1 / m.ids + row / m.read_bytes) + storage_.miss_seconds(traffic[traffic_misses], width, m);
  owner.exchange = message * wire;
  owner.update += sums * vector / m.read_bytes + update_seconds(traffic, width);
  if (width < dim_) owner.exchange += 2 * storage_.row_sums * traffic[distinct_all] * float_bytes * wire_.all;
  cost.owner.bytes = storage_.bytes(traffic[traffic_rows], width) + wire_.buffers * stored + requested * scratch +
                     storage_.travel_bytes(traffic[distinct_all], traffic[traffic_misses], width);
  if (machine_.copies.ranks > 1) cost.owner += gathered(traffic[distinct_by_group], width, machine_.copies);
  common.lookup += t.bags / ranks / m.bags;
  common.exchange = message / ranks * wire;
  cost.common.bytes += wire_.buffers * stored / ranks;
  return cost;
}

Cost TableCosts::copy_cost() const {
  const TableTraffic& t = traffic_;
  const double vector = float_bytes * dim_, row = storage_.weight_bytes * dim_;
  const double ranks = t.ranks, own_ids = t.ids / ranks;
  const double pooled = (t.pooled_bags * filled(1) + t.unpooled_ids) / ranks * vector;
  const MachineCosts& m = machine_.group.costs;
  Cost cost = gathered(whole_[distinct_per_rank], dim_, machine_.all);
  cost += {{.lookup = t.bags / ranks * 2 / m.bags + pooled * (wire_.add + 1 / m.vector_bytes) +
                      whole_[traffic_reads] / ranks + own_ids * (2 / m.ids + row / m.read_bytes) +
                      storage_.miss_seconds(whole_[traffic_misses], dim_, m),
            .update = own_ids * vector / m.read_bytes + pooled / m.vector_bytes + update_seconds(whole_, dim_)},
           storage_.bytes(t.rows, dim_) + growth * own_ids * id_scratch +
               storage_.travel_bytes(whole_[distinct_all], whole_[traffic_misses], dim_)};
  return cost;
}

}  // namespace tesserec::planning
