// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include <tesserec/planning/table_costs.hpp>

namespace tesserec::planning {
namespace {

constexpr double id_bytes = 8, length_bytes = 4, float_bytes = 4;
/// Scratch of an id at its owner: the id, its place, and two RowUse of the sort.
constexpr double id_scratch = 64;
/// Buffers are grown by an eighth more than asked for.
constexpr double growth = 1.125;

/// Adds up the row sums of all rounds.
int total_row_sums(optim::Type type) {
  const std::vector<int>& sums = optim::info(type).row_sums;
  return std::accumulate(sums.begin(), sums.end(), 0);
}

/// Returns the share of the table's ids whose vectors are not pooled.
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

TableTraffic::TableTraffic(const embedding::EmbeddingBagConfig& table, const ParameterConstraints& constraints,
                           int ranks, Index global_batch)
    : frequencies(double(table.num_embeddings), constraints.zipf.value_or(0)),
      ranks(ranks),
      rows(double(table.num_embeddings)),
      bags(double(global_batch) * double(table.feature_names.size())),
      ids(bags * ids_per_bag(constraints)),
      touched(frequencies.distinct(ids)),
      rank_touched(frequencies.distinct(ids / ranks)),
      unpooled_ids(ids * unpooled_share(table)),
      pooled_bags(bags - double(global_batch) * double(table.unpooled.size())),
      bag_ids(pooled_bags > 0 ? frequencies.as_uniform((ids - unpooled_ids) / pooled_bags) : 0) {}

double TableTraffic::filled(double share) const {
  const double some = share >= 1 ? 1 : -std::expm1(bag_ids * std::log1p(-share));
  return std::min(some, bag_ids * share);
}

RowStorage::RowStorage(const optim::Settings& optimizer, bool dense)
    : dense(dense), states(0), row_sums(total_row_sums(optimizer.type)) {
  for (const optim::StateInfo& state : optim::states(optimizer.type)) (state.per_row ? row_states : states) += 1;
}

double RowStorage::bytes(double rows, double columns) const {
  return rows * float_bytes * (columns * (1 + states + (dense ? 1 : 0)) + row_states);
}

Wire::Wire(const Topology& topology)
    : forward(topology.exchange.forward / float_bytes), backward(topology.exchange.backward / float_bytes) {
  const double on_node = double(topology.ranks_per_node) / topology.ranks;
  inside = (1 - 1.0 / topology.ranks_per_node) / topology.costs.inside_bytes;
  between = (1 - on_node) / topology.costs.between_bytes;
  all = on_node * inside + between;
}

TableCosts::TableCosts(const embedding::EmbeddingBagConfig& table, const ParameterConstraints& constraints,
                       const optim::Settings& optimizer, const Topology& topology, Index global_batch)
    : blocks_(table.num_embeddings),
      dim_(double(table.embedding_dim)),
      traffic_(table, constraints, topology.ranks, global_batch),
      storage_(optimizer, constraints.kernel.has(ComputeKernel::dense)),
      wire_(topology),
      topology_(topology) {
  const MachineCosts& m = topology_.costs;
  const TableTraffic& t = traffic_;
  // Caches hold the most frequent rows of the whole table, so that its shards are costed alike.
  const double hot = std::min(t.rows, m.cached_bytes / (dim_ * float_bytes));
  const auto seconds = [](double cached, double rate, double other) { return cached / rate + (1 - cached) / other; };
  const auto of_distinct = [&](double ids, double all) { return all > 0 ? t.frequencies.distinct(ids, hot) / all : 0; };
  const auto read = [&](double cached) { return seconds(cached, m.cached_row_reads, m.row_reads); };
  row_seconds_.read = read(t.frequencies.share(hot));
  row_seconds_.read_once = read(of_distinct(t.ids / t.ranks, t.rank_touched));
  row_seconds_.update = seconds(of_distinct(t.ids, t.touched), m.cached_row_updates, m.row_updates);
}

double TableCosts::rows(Range blocks) const { return double(blocks_.rows(blocks).size()); }

double TableCosts::vectors(Range blocks) const {
  if (blocks.size() == embedding::block_count) return whole_vectors();
  double sum = 0;
  for (Index at = blocks.begin; at < blocks.end;) {  // the largest whole subtrees, from the left
    Index size = at == 0 ? embedding::block_count : at & -at;
    while (at + size > blocks.end) size /= 2;
    sum += filled(rows({at, at + size}) / traffic_.rows);
    at += size;
  }
  return sum;
}

double TableCosts::update_seconds(double all_rows, double touched_rows, double columns) const {
  const auto& [dense, states, row_states, row_sums] = storage_;
  const MachineCosts& m = topology_.costs;
  const double row_bytes = float_bytes * (columns * (1 + states) + row_states);
  if (dense) return all_rows * (row_bytes + float_bytes * columns) / m.update_bytes;
  return touched_rows * ((1 + states + row_states) * row_seconds_.update + row_bytes / m.update_bytes);
}

ShardCost TableCosts::cost(const Shard& shard, const ParameterSharding& sharding) const {
  if (topology_.exchange_levels >= 2 && planning::by_two_levels(sharding, topology_.ranks, topology_.ranks_per_node))
    return by_two_levels(shard, sharding);
  return flat(shard.blocks, shard.columns,
              sharding.form == ExchangeForm::rows ? ExchangeForm::rows : ExchangeForm::pooled);
}

ShardLoad TableCosts::shard(Range blocks, Range columns, ExchangeForm form) const {
  return flat(blocks, columns, form).load();
}

ShardLoad TableCosts::load(double own_rows, double filled, double vectors, double width, ExchangeForm form) const {
  return piece(own_rows, filled, vectors, width, form, wire_.all).load();
}

ShardCost TableCosts::flat(Range blocks, Range columns, ExchangeForm form) const {
  const double own = rows(blocks);
  return piece(own, filled(own / traffic_.rows), form == ExchangeForm::pooled ? vectors(blocks) : 0,
               double(columns.size()), form, wire_.all);
}

ShardCost TableCosts::by_two_levels(const Shard& shard, const ParameterSharding& sharding) const {
  const auto& shards = sharding.shards;
  const double row_cuts =
      std::count_if(shards.begin(), shards.end(), [&](const Shard& other) { return other.columns == shard.columns; });
  const double all = double(shards.size()), nodes = topology_.nodes();
  const double together =
      sharding.type == ShardingType::grid ? all / std::min(all / row_cuts, nodes) : all;  // on a node
  const double own = rows(shard.blocks), width = double(shard.columns.size());
  const MachineCosts& m = topology_.costs;
  const TableTraffic& t = traffic_;
  // Inside the node relays ask for the samples of all ranks.
  const ShardCost inside =
      piece(own, filled(own / t.rows), vectors(shard.blocks), width, ExchangeForm::pooled, wire_.inside);
  ShardCost cost{inside.owner, {}};
  cost.owner += inside.each * t.ranks;
  // Between nodes: this shard's share of ids and lengths, of one vector a bag, and of its gradient.
  const double ids = t.ids / together, bags = t.bags / together;
  const double finished = (t.pooled_bags * filled(1) + t.unpooled_ids) * float_bytes * width / row_cuts;
  const double ids_and_lengths = ids * id_bytes + bags * length_bytes;
  const double message = ids_and_lengths + (wire_.forward + wire_.backward) * finished;
  const double held = message + (wire_.rounded() ? 2 * finished : 0);
  const StepSeconds seconds{.lookup = ids / m.ids + bags / m.bags + finished / m.add_bytes,
                            .exchange = message * wire_.between};
  cost.owner += {seconds, growth * held};
  cost.each = Cost{seconds, growth * held} * (1 / t.ranks);
  return cost;
}

ShardCost TableCosts::piece(double own_rows, double filled, double vectors, double width, ExchangeForm form,
                            double wire) const {
  const TableTraffic& t = traffic_;
  const double share = own_rows / t.rows, vector = float_bytes * width;
  const double ids = t.ids * share, moved = t.touched * share, ranks = t.ranks;
  const MachineCosts& m = topology_.costs;
  ShardCost cost;
  StepSeconds &owner = cost.owner.seconds, &each = cost.each.seconds;
  // In and out of the owner: its wire carries all of it, the wire of each samples' rank a share.
  double message = 0, held = 0, asked = 0, sums = 0, read = row_seconds_.read;
  if (form == ExchangeForm::pooled) {
    const double vectors_out = (t.pooled_bags * vectors + t.unpooled_ids * share * wire_.forward) * vector;
    const double gradients_in = (t.pooled_bags * filled + t.unpooled_ids * share) * vector * wire_.backward;
    message = ids * id_bytes + t.bags * length_bytes + vectors_out + gradients_in;
    // Rounded vectors lie there in 32 bits too.
    held = message + (wire_.rounded() ? vectors_out / wire_.forward + gradients_in / wire_.backward : 0);
    asked = sums = ids;
    each.lookup = ids / ranks / m.ids + vectors_out / ranks / m.add_bytes;
    owner.lookup = t.bags / m.bags;
  } else {
    const double rows_asked = ranks * t.rank_touched * share;
    read = row_seconds_.read_once;
    held = message = rows_asked * (id_bytes + 2 * vector);
    asked = sums = rows_asked;
    each.lookup = ids / ranks * (1 / m.fetched_ids + vector / m.read_bytes) +  // order and pool
                  (t.pooled_bags * filled + t.unpooled_ids * share) / ranks * vector / m.add_bytes;
    each.update = ids / ranks * vector / m.read_bytes;  // sum gradients
    cost.each.bytes = growth * ids / ranks * id_scratch;
  }
  owner.lookup += asked * (1 / m.ids + read + vector / m.read_bytes);
  owner.exchange = message * wire;
  owner.update = sums * vector / m.read_bytes + update_seconds(own_rows, moved, width);
  if (width < dim_) owner.exchange += 2 * storage_.row_sums * moved * float_bytes * wire_.all;
  cost.owner.bytes = storage_.bytes(own_rows, width) + growth * (held + asked * id_scratch);
  each.lookup += t.bags / ranks / m.bags;
  each.exchange = message / ranks * wire;
  cost.each.bytes += growth * held / ranks;
  return cost;
}

Cost TableCosts::copy_cost() const {
  const TableTraffic& t = traffic_;
  const double vector = float_bytes * dim_, ranks = t.ranks, own_ids = t.ids / ranks;
  const double own_rows = t.rank_touched, sum_bytes = own_rows * (vector + 2 * id_bytes);
  const MachineCosts& m = topology_.costs;
  return {{.lookup = t.bags / ranks * 2 / m.bags +
                     (t.pooled_bags * filled(1) + t.unpooled_ids) / ranks * vector / m.add_bytes +
                     own_ids * (2 / m.ids + row_seconds_.read + vector / m.read_bytes),
           .exchange = 2 * sum_bytes * ranks * wire_.all,
           .update = own_ids * vector / m.read_bytes + ranks * own_rows * (1 / m.ids + vector / m.add_bytes) +
                     update_seconds(t.rows, t.touched, dim_)},
          storage_.bytes(t.rows, dim_) + growth * (own_ids * id_scratch + (ranks + 1) * sum_bytes)};
}

}  // namespace tesserec::planning
