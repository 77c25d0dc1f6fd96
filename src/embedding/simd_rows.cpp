// SPDX-License-Identifier: Apache-2.0
#include "simd_rows.hpp"

namespace tesserec::embedding {

void SimdRows::lookup(const Exec& exec, std::span<const AskedShard> asked, const BatchSplit&, float* sums) {
  struct Task {
    std::size_t shard, run, feature;
    Index part;
  };
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < asked.size(); ++i)
    for (std::size_t run = 0; run < asked[i].bags.size(); ++run)
      for (std::size_t f = 0; f < asked[i].bags[run].size(); ++f)
        for (Index part = 0; part < EmbeddingTable::lookup_tasks(asked[i].bags[run][f]); ++part)
          tasks.push_back({i, run, f, part});
  parallel_for(exec, "tesserec::embedding::lookup", std::ssize(tasks), [&](Index t) {
    const auto [i, run, f, part] = tasks[t];
    table(i).lookup_task(part, asked[i].bags[run][f], asked[i].nodes[run][f], sums + asked[i].sums_at[run][f]);
  });
}

void SimdRows::order_ids(const Exec& exec, std::span<const AskedShard> asked, const BatchSplit& split, Range own) {
  own_lanes_ = own;
  parallel_for(exec, "tesserec::embedding::order_ids", std::ssize(shards_), [&](Index i) {
    if (shards_[i].fetched)
      table(i).prepare_sums(asked[i].gradients);
    else
      table(i).prepare(asked[i].bags, split);
  });
}

void SimdRows::update(const Exec& exec, const float* gradients, std::span<const double> rates, Index step) {
  std::vector<std::size_t> own;
  for (std::size_t i = 0; i < shards_.size(); ++i)
    if (!table(i).shares_rows() && !shards_[i].replicated) own.push_back(i);
  // Every thread takes as much of every table: tables differ, their halves do not.
  const Index threads = concurrency(exec);
  parallel_for(exec, "tesserec::embedding::update", threads, [&](Index thread) {
    for (const std::size_t i : own) table(i).update_task(thread, threads, gradients, rates[i], step);
  });
  for (const std::size_t i : own) table(i).finish_update(exec, rates[i], step);
}

void SimdRows::gather(const Exec& exec, const float* gradients, Which which) {
  for (const Shard& shard : shards_)
    if (which == Which::shared ? shard.table->shares_rows() : !shard.replicated)
      shard.table->gather_gradients(exec, gradients);
}

RowSums SimdRows::sum_gradients(const Exec&, std::size_t shard, const float* gradients) {
  return table(shard).sum_gradients(gradients, own_lanes_);
}

void SimdRows::update_sums(const Exec& exec, std::size_t shard, std::span<const RowUse> uses, const float* sums,
                           double rate, Index step) {
  table(shard).prepare_sums(uses);
  table(shard).update(exec, sums, rate, step);
}

void SimdRows::gather_sums(const Exec& exec, std::size_t shard, std::span<const RowUse> uses, const float* sums) {
  table(shard).prepare_sums(uses);
  table(shard).gather_gradients(exec, sums);
}

void SimdRows::move_gathered(const Exec& exec, std::size_t shard, double rate, Index step) {
  table(shard).move_gathered(exec, rate, step);
}

std::vector<float> SimdRows::sum_columns(const Exec& exec, std::size_t shard, int round, std::span<const float> totals,
                                         double rate, Index step) {
  return table(shard).sum_columns(exec, round, totals.data(), rate, step);
}

void SimdRows::move_columns(const Exec& exec, std::size_t shard, std::span<const float> totals, double rate,
                            Index step) {
  table(shard).move_columns(exec, totals.data(), rate, step);
}

}  // namespace tesserec::embedding
