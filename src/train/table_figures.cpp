// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "growing_state.hpp"
#include <tesserec/core/exact_sum.hpp>
#include <tesserec/core/kernels.hpp>
#include <tesserec/core/philox_rounds.hpp>
#include <tesserec/core/placed.hpp>
#include <tesserec/embedding/row_store.hpp>
#include <tesserec/planning/id_frequencies.hpp>
#include <tesserec/train/table_figures.hpp>

namespace tesserec::train {
namespace {

constexpr Index run_rows = 64, most_runs = 1024;  // 65536 sampled rows of a table at most, to bound the time
constexpr Index quad = 4;                         // divisor of every column at which a table is cut

/// Sampled runs of a table's rows: every `stride`-th run of 64 rows.
struct Sample {
  Index rows, stride;

  explicit Sample(Index table_rows)
      : rows(table_rows),
        stride(std::max<Index>(1, (table_rows + run_rows * most_runs - 1) / (run_rows * most_runs))) {}
  Range run(Index k) const {
    const Index begin = k * stride * run_rows;
    return {std::min(begin, rows), std::min(begin + run_rows, rows)};
  }
  /// Returns the last sampled run that begins at or before `row`.
  Index first(Index row) const { return row / (stride * run_rows); }
};

/// Sums over the sampled rows of one table, on this rank.
struct Sums {
  Index sampled = 0, trained = 0;
  ExactSum squares;
  float largest = 0;
};

/// Writes the first `count` start values of a row, at most four.
void start_row(const embedding::StartValues& start, Index row, Index count, float* to) {
  const std::array<std::uint32_t, 4> words = start.random().quad(row, 0);
  for (Index c = 0; c < count; ++c) to[c] = start.ones() ? 1.0f : philox::uniform(words[c], start.bound());
}

/// Adds rows [rows.begin, rows.end) of a shard to `sums`. `ids`: ids of all of the shard's rows if its table grows.
void sample_rows(const Session& session, const sharding::ShardedEmbeddingBagCollection::Shard& shard, Range rows,
                 std::span<const tiers::IdUse> ids, Sums& sums) {
  const embedding::EmbeddingTable& table = *shard.rows;
  const Index columns = table.dim(), first = std::min(quad, columns);
  std::vector<float> weights(std::size_t(rows.size() * columns)), start(std::size_t(rows.size() * first));
  table.store().read(session.exec, 0, rows, weights.data());
  for (Index r = 0; r < rows.size(); ++r) add_squares(weights.data() + r * columns, columns, sums.squares);
  for (const float value : weights) sums.largest = std::max(sums.largest, std::abs(value));
  if (table.columns().begin > 0) return;  // the owner of the first columns counts the rows
  const embedding::StartValues drawn(table.config(), session.job.run.seed, Index(shard.table));
  if (!table.config().grows()) drawn(rows, {0, first}, start.data());
  for (Index r = 0; r < rows.size() && table.config().grows(); ++r)
    start_row(drawn, ids[rows.begin + r].id, first, start.data() + r * first);
  sums.sampled += rows.size();
  for (Index r = 0; r < rows.size(); ++r)
    sums.trained +=
        !std::equal(weights.begin() + r * columns, weights.begin() + r * columns + first, start.begin() + r * first);
}

/// Returns the share of each table's weights that one copy of its caches can hold. Collective.
std::vector<double> cached_shares(const Session& session) {
  const auto& tables = session.model.tables();
  std::vector<Index> weights(tables.tables().size());
  for (const auto& shard : tables.shards())
    if (shard.replica.index == 0) weights[shard.table] += shard.rows->store().cache_use().slots * shard.rows->dim();
  session.comm.sum(weights);
  std::vector<double> shares;
  for (std::size_t t = 0; t < weights.size(); ++t)
    shares.push_back(double(weights[t]) / double(std::max<Index>(1, tables.tables()[t].weights())));
  return shares;
}

/// Returns the share of the ids in the most frequent rows of a table, `share` of all rows, if frequencies are known.
std::optional<double> frequent_share(const planning::ParameterConstraints& demand,
                                     const embedding::EmbeddingBagConfig& table, double share) {
  const double zipf = demand.zipf.value_or(0), rows = double(table.rows().size());
  if (share == 0 || (!demand.popular && zipf == 0)) return std::nullopt;
  return planning::IdFrequencies(rows, zipf, demand.popular.get()).share_of_most(share * rows);
}

/// Returns the rows that a table holds.
Index rows_of(const GrownBlocks& blocks, const embedding::EmbeddingBagConfig& table) {
  return blocks.grows() ? blocks.rows_of({0, embedding::block_count}).end : table.rows().size();
}

}  // namespace

std::vector<embedding::CacheUse> cache_uses(const Session& session) {
  const auto& tables = session.model.tables();
  std::vector<embedding::CacheUse> uses(tables.tables().size());
  if (!sharding::caches_rows(tables)) return uses;
  constexpr std::size_t numbers = 5;
  std::vector<Index> sums(numbers * uses.size());
  for (const auto& shard : tables.shards()) {
    const embedding::CacheUse use = shard.rows->store().cache_use();
    const Index own[numbers] = {use.slots, use.pinned, use.reads, use.bytes_read, use.bytes_written};
    for (std::size_t i = 0; i < numbers; ++i) sums[numbers * shard.table + i] += own[i];
  }
  session.comm.sum(sums);
  for (std::size_t t = 0; t < uses.size(); ++t) {
    const Index* const total = sums.data() + numbers * t;
    uses[t] = {total[0], total[1], total[2], total[3], total[4], {}};
  }
  return uses;
}

std::vector<tiers::Growth> growths(const Session& session) {
  const auto& tables = session.model.tables();
  std::vector<tiers::Growth> all(tables.tables().size());
  constexpr std::size_t numbers = 6;
  std::vector<Index> sums(numbers * all.size());
  for (const auto& shard : tables.shards()) {
    // Shards of other columns decide alike.
    if (!shard.rows->config().grows() || shard.rows->columns().begin > 0) continue;
    const tiers::Growth own = growing_store(shard).growth();
    const Index values[numbers] = {own.capacity, own.occupied, own.waiting, own.admitted, own.refused, own.evicted};
    for (std::size_t i = 0; i < numbers; ++i) sums[numbers * shard.table + i] += values[i];
  }
  session.comm.sum(sums);
  for (std::size_t t = 0; t < all.size(); ++t) {
    const Index* const total = sums.data() + numbers * t;
    all[t] = {.capacity = total[0],
              .occupied = total[1],
              .waiting = total[2],
              .admitted = total[3],
              .refused = total[4],
              .evicted = total[5]};
  }
  return all;
}

std::vector<TableFigures> table_figures(const Session& session) {
  const auto& tables = session.model.tables().tables();
  std::vector<Sums> sums(tables.size());
  const std::vector<GrownBlocks> blocks = grown_blocks(session.comm, session.model.tables());
  for (const auto& shard : session.model.tables().shards()) {
    const bool grows = blocks[shard.table].grows();
    const Range stored = grows ? blocks[shard.table].rows_of(shard.rows->blocks()) : shard.rows->rows();
    const Range own = shard.replica.part(stored);
    const std::vector<tiers::IdUse> ids = grows ? growing_store(shard).state().rows : std::vector<tiers::IdUse>();
    const Index first = grows ? own.begin : 0;  // a growing store counts its own rows
    const Sample sample(rows_of(blocks[shard.table], tables[shard.table]));
    for (Index k = sample.first(own.begin); own.end > sample.run(k).begin; ++k) {
      const Range run = sample.run(k), overlap{std::max(run.begin, own.begin), std::min(run.end, own.end)};
      if (overlap.begin < overlap.end)
        sample_rows(session, shard, {overlap.begin - first, overlap.end - first}, ids, sums[shard.table]);
    }
  }
  std::vector<TableFigures> all;
  const std::vector<embedding::CacheUse> caches = cache_uses(session);
  const std::vector<double> cached = cached_shares(session);
  const std::vector<tiers::Growth> grown = growths(session);
  for (std::size_t t = 0; t < tables.size(); ++t) {
    Sums& table_sums = sums[t];
    const embedding::EmbeddingBagConfig& table = tables[t];
    TableFigures& figures =
        all.emplace_back(TableFigures{table.name, table.feature_names, table.rows().size(), table.embedding_dim});
    session.comm.sum(table_sums.squares.words());
    figures.sampled = session.comm.sum(table_sums.sampled);
    figures.trained = session.comm.sum(table_sums.trained);
    // Floats that are not negative have the same order as their bits.
    figures.largest =
        std::bit_cast<float>(std::uint32_t(session.comm.max(Index{std::bit_cast<std::uint32_t>(table_sums.largest)})));
    figures.row_norm = figures.sampled == 0 ? 0 : std::sqrt(table_sums.squares.value() / double(figures.sampled));
    figures.cache = caches[t];
    figures.cached_share = cached[t];
    figures.frequent_share = frequent_share(session.planner.tables.at(table.name), table, cached[t]);
    figures.growth = grown[t];
    figures.start_norm = embedding::StartValues(table, session.job.run.seed, Index(t)).row_norm();
  }
  return all;
}

void count_ids(const data::Batch& batch, std::vector<FeatureIds>& counts) {
  const jagged::KeyedJaggedTensor& sparse = batch.sparse;
  counts.resize(sparse.keys.size());
  for (Index f = 0; f < sparse.features(); ++f) {
    FeatureIds& feature = counts[f];
    feature.name = sparse.keys[f];
    feature.samples += batch.size;
    for (Index b = 0; b < batch.size; ++b) feature.empty += sparse.length(f, b) == 0;
    const Index begin = sparse.offsets(f * batch.size), end = sparse.offsets((f + 1) * batch.size);
    feature.ids += end - begin;
    for (Index i = begin; i < end; ++i) feature.unknown += sparse.values(i) == 0;
  }
}

void sum_over_ranks(const comm::Communicator& comm, std::vector<FeatureIds>& counts) {
  std::vector<Index> sums;
  for (const FeatureIds& feature : counts)
    sums.insert(sums.end(), {feature.samples, feature.empty, feature.ids, feature.unknown});
  comm.sum(sums);
  for (std::size_t f = 0; f < counts.size(); ++f) {
    const Index* const totals = sums.data() + 4 * f;
    counts[f] = {counts[f].name, totals[0], totals[1], totals[2], totals[3]};
  }
}

}  // namespace tesserec::train
