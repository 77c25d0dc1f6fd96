// SPDX-License-Identifier: Apache-2.0
#include "simd_rows.hpp"

#include <algorithm>

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

void SimdRows::order_ids(const Exec&, std::span<const AskedShard> asked, const BatchSplit& split, Range own) {
  due_ = {asked, &split, own};
}

void SimdRows::prepare(const Exec& exec, std::span<const std::size_t> shards) {
  phases_.time("sort ids", [&] {
    parallel_for(exec, "tesserec::embedding::order_ids", std::ssize(shards), [&](Index at) {
      const std::size_t i = shards[at];
      if (shards_[i].fetched)
        table(i).prepare_sums(due_.asked[i].gradients);
      else
        table(i).prepare(due_.asked[i].bags, *due_.split);
    });
  });
}

void SimdRows::update(const Exec& exec, const float* gradients, std::span<const double> rates, Index step) {
  std::vector<std::size_t> own;
  for (std::size_t i = 0; i < shards_.size(); ++i)
    if (!table(i).shares_rows() && !shards_[i].replicated) own.push_back(i);
  // As many tables at a time as there are threads, each of which takes as much of every table: tables differ, their
  // halves do not.
  const Index threads = concurrency(exec);
  for (std::span<const std::size_t> left(own); !left.empty();) {
    const auto together = left.first(std::min<std::size_t>(threads, left.size()));
    prepare(exec, together);
    parallel_for(exec, "tesserec::embedding::update", threads, [&](Index thread) {
      for (const std::size_t i : together) table(i).update_task(thread, threads, gradients, rates[i], step);
    });
    left = left.subspan(together.size());
  }
  for (const std::size_t i : own) table(i).finish_update(exec, rates[i], step);
}

void SimdRows::gather(const Exec& exec, const float* gradients, Which which) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < shards_.size(); ++i)
    if (which == Which::shared ? table(i).shares_rows() : !shards_[i].replicated) all.push_back(i);
  prepare(exec, all);
  for (const std::size_t i : all) table(i).gather_gradients(exec, gradients);
}

RowSums SimdRows::sum_gradients(const Exec& exec, std::size_t shard, const float* gradients) {
  prepare(exec, {&shard, 1});
  return table(shard).sum_gradients(gradients, due_.own_lanes);
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
