// SPDX-License-Identifier: Apache-2.0
#include "simd_rows.hpp"

#include <algorithm>

namespace tesserec::embedding {

SimdRows::SimdRows(const std::vector<Shard>& shards, Phases& phases) : shards_(shards), phases_(phases) {
  for (const Shard& shard : shards_) rows_.emplace_back(*shard.table);
}

void SimdRows::lookup(const Exec& exec, const RowBatch& batch, float* sums) {
  struct Task {
    std::size_t shard, run, feature;
    Index task;
  };
  const std::span<const ShardLookups> lookups = batch.lookups;
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < lookups.size(); ++i)
    for (std::size_t run = 0; run < lookups[i].bags.size(); ++run)
      for (std::size_t f = 0; f < lookups[i].bags[run].size(); ++f)
        for (Index task = 0; task < lookup_tasks(lookups[i].bags[run][f]); ++task) tasks.push_back({i, run, f, task});
  parallel_for(exec, "tesserec::embedding::lookup", std::ssize(tasks), [&](Index t) {
    const auto [i, run, f, task] = tasks[t];
    embedding::lookup(*shards_[i].table, task, lookups[i].bags[run][f], lookups[i].nodes[run][f],
                      sums + lookups[i].sums_at[run][f]);
  });
}

void SimdRows::order(const Exec& exec, const RowBatch& batch, std::span<const std::size_t> shards) {
  phases_.time("sort ids", [&] {
    parallel_for(exec, "tesserec::embedding::order_ids", std::ssize(shards), [&](Index at) {
      const std::size_t i = shards[at];
      if (shards_[i].fetched)
        rows_[i].order(batch.lookups[i].gradients);
      else
        rows_[i].order(batch.lookups[i].bags, *batch.split);
    });
  });
}

std::vector<RowSums> SimdRows::sum(const Exec& exec, const RowBatch& batch, const float* gradients,
                                   std::span<const std::size_t> shards) {
  order(exec, batch, shards);
  std::vector<RowSums> result;
  for (const std::size_t i : shards)
    result.push_back(shards_[i].askers == Askers::all_ranks ? rows_[i].sum(exec, gradients)
                                                            : rows_[i].sum_lanes(gradients, shards_[i].lanes(batch)));
  return result;
}

std::vector<std::vector<float>> SimdRows::move(const Exec& exec, const RowMoves& moves) {
  std::vector<ShardStep> steps;
  for (std::size_t at = 0; at < moves.shards.size(); ++at)
    steps.push_back(
        {optim::step_scalars(shards_[moves.shards[at]].table->optimizer(), moves.rates[at], moves.step), moves.step});
  std::vector<std::vector<float>> sums(moves.shards.size());
  if (moves.batch != nullptr) {
    move_batch(exec, moves, steps);
    return sums;
  }
  for (std::size_t at = 0; at < moves.shards.size(); ++at) {
    SimdShard& rows = rows_[moves.shards[at]];
    const EmbeddingTable& table = rows.table();
    const int rounds = table.shares_rows() ? optim::row_rounds(table.optimizer().type) : 0;
    if (moves.round < rounds)
      sums[at] = rows.sum_columns(exec, moves.rows[at], steps[at], moves.round,
                                  moves.round == 0 ? nullptr : moves.totals[at].data());
    else if (moves.round == rounds && rounds > 0)
      rows.move_columns(exec, moves.rows[at], steps[at], moves.totals[at].data());
    else if (moves.round == rounds)
      rows.move_rows(exec, moves.rows[at], steps[at]);
  }
  return sums;
}

void SimdRows::move_batch(const Exec& exec, const RowMoves& moves, std::span<const ShardStep> steps) {
  // The loop takes as many shards at a time as there are threads. Each thread updates one share of every shard, because
  // shards differ in size and shares do not.
  const Index threads = concurrency(exec);
  for (std::size_t first = 0, last = 0; first < moves.shards.size(); first = last) {
    last = std::min<std::size_t>(first + threads, moves.shards.size());
    order(exec, *moves.batch, moves.shards.subspan(first, last - first));
    parallel_for(exec, "tesserec::embedding::update", threads, [&](Index thread) {
      for (std::size_t at = first; at < last; ++at)
        rows_[moves.shards[at]].move(thread, threads, moves.gradients, steps[at]);
    });
  }
  for (std::size_t at = 0; at < moves.shards.size(); ++at) rows_[moves.shards[at]].finish_move(exec, steps[at]);
}

}  // namespace tesserec::embedding
