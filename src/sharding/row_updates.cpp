// SPDX-License-Identifier: Apache-2.0
// The way back of a ShardedEmbeddingBagCollection: gradients that are at the owners of rows, and the rows move.
#include <cassert>

#include "exchange.hpp"
#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>

namespace tesserec::sharding {
namespace {

double rate(const ShardedEmbeddingBagCollection::Shard& shard, const optim::ScheduleSettings& schedule, Index step) {
  return optim::scheduled_rate(schedule, shard.rows->optimizer().lr, step);
}

}  // namespace

void ShardedEmbeddingBagCollection::accumulate(const Exec& exec, InFlight batch) {
  assert(ordered_ == batch.exchange_.get());
  const float* gradients = send_gradients(exec, batch);
  phases_.time("update", [&] { gather(exec, gradients); });
  bytes_sent_ += batch.bytes_sent();
  ordered_ = nullptr;
}

ExactSum ShardedEmbeddingBagCollection::squares(const Exec& exec) {
  ExactSum sum;
  for (const Shard& shard : shards_)
    if (!replicated(shard) || comm_.rank() == 0) shard.rows->add_squares(exec, sum);
  return sum;
}

void ShardedEmbeddingBagCollection::backward(const Exec& exec, InFlight batch, const optim::ScheduleSettings& schedule,
                                             Index step, float scale) {
  if (batch && !gathered_ && scale == 1.0f) {
    assert(ordered_ == batch.exchange_.get());
    const float* gradients = send_gradients(exec, batch);
    phases_.time("update", [&] { update(exec, gradients, schedule, step); });
    bytes_sent_ += batch.bytes_sent();
    ordered_ = nullptr;
    return;
  }
  if (batch) accumulate(exec, std::move(batch));
  phases_.time("update", [&] { update_gathered(exec, schedule, step, scale); });
}

void ShardedEmbeddingBagCollection::update(const Exec& exec, const float* gradients,
                                           const optim::ScheduleSettings& schedule, Index step) {
  std::vector<Shard*> own;
  for (Shard& shard : shards_)
    if (!shard.rows->shares_rows() && !replicated(shard)) own.push_back(&shard);
  // Every thread takes as much of every table: tables differ, their halves do not.
  const Index threads = concurrency(exec);
  parallel_for(exec, "tesserec::sharding::update", threads, [&](Index thread) {
    for (const Shard* shard : own)
      shard->rows->update_task(thread, threads, gradients, rate(*shard, schedule, step), step);
  });
  for (const Shard* shard : own) shard->rows->finish_update(exec, rate(*shard, schedule, step), step);
  for (const Shard& shard : shards_) {
    if (!shard.rows->shares_rows()) continue;
    shard.rows->gather_gradients(exec, gradients);
    shard.rows->finish_gradients(exec, 1.0f);
  }
  if (row_totals_) update_shared(exec, schedule, step);
  with_all_ranks(gradients, [&](const Shard& shard, const float* sums) {
    shard.rows->update(exec, sums, rate(shard, schedule, step), step);
  });
}

void ShardedEmbeddingBagCollection::gather(const Exec& exec, const float* gradients) {
  for (const Shard& shard : shards_)
    if (!replicated(shard)) shard.rows->gather_gradients(exec, gradients);
  with_all_ranks(gradients, [&](const Shard& shard, const float* sums) { shard.rows->gather_gradients(exec, sums); });
  gathered_ = true;
}

void ShardedEmbeddingBagCollection::update_gathered(const Exec& exec, const optim::ScheduleSettings& schedule,
                                                    Index step, float scale) {
  for (const Shard& shard : shards_) {
    shard.rows->finish_gradients(exec, scale);
    if (!shard.rows->shares_rows()) shard.rows->move_gathered(exec, rate(shard, schedule, step), step);
  }
  if (row_totals_) update_shared(exec, schedule, step);
  gathered_ = false;
}

void ShardedEmbeddingBagCollection::update_shared(const Exec& exec, const optim::ScheduleSettings& schedule,
                                                  Index step) {
  std::vector<Shard*> shared;
  for (Shard& shard : shards_)
    if (shard.rows->shares_rows()) shared.push_back(&shard);
  std::vector<std::vector<float>> totals(shared.size());
  for (int round = 0; round < row_rounds_; ++round) {
    std::vector<std::vector<float>> sums(shared.size());  // none of those that need no more
    for (std::size_t i = 0; i < shared.size(); ++i)
      if (round < optim::row_rounds(shared[i]->rows->optimizer().type))
        sums[i] = shared[i]->rows->sum_columns(exec, round, totals[i].data(), rate(*shared[i], schedule, step), step);
    auto received = row_totals_->totals(sums);
    for (std::size_t i = 0; i < shared.size(); ++i)
      if (round < optim::row_rounds(shared[i]->rows->optimizer().type)) totals[i] = std::move(received[i]);
  }
  for (std::size_t i = 0; i < shared.size(); ++i)
    shared[i]->rows->move_columns(exec, totals[i].data(), rate(*shared[i], schedule, step), step);
}

template <class Sink>
void ShardedEmbeddingBagCollection::with_all_ranks(const float* gradients, const Sink& sink) {
  // One message of each kind for all replicated tables; every rank has the same tables in the same order.
  std::vector<Shard*> tables;
  for (Shard& shard : shards_)
    if (replicated(shard)) tables.push_back(&shard);
  if (tables.empty()) return;
  std::vector<Index> counts, keys;
  std::vector<float> sums;
  for (const Shard* shard : tables) {
    const auto mine = shard->rows->sum_gradients(gradients, ordered_->split().lanes(comm_.rank()));
    counts.push_back(std::ssize(mine.rows));
    keys.insert(keys.end(), mine.rows.begin(), mine.rows.end());
    keys.insert(keys.end(), mine.leaves.begin(), mine.leaves.end());
    sums.insert(sums.end(), mine.sums.begin(), mine.sums.end());
  }
  const std::vector<Index> all_counts = comm_.all_gather_equal(std::span<const Index>(counts));
  std::vector<Index> key_counts, sum_counts;  // [rank]
  for (std::size_t i = 0; i < all_counts.size(); ++i) {
    const std::size_t table = i % tables.size();
    if (table == 0) key_counts.push_back(0), sum_counts.push_back(0);
    key_counts.back() += 2 * all_counts[i];
    sum_counts.back() += all_counts[i] * tables[table]->rows->dim();
  }
  std::vector<Index> all_keys(total(key_counts));
  std::vector<float> all_sums(total(sum_counts));
  comm_.all_gather(std::span<const Index>(keys), std::span<const Index>(key_counts), all_keys.data());
  comm_.all_gather(std::span<const float>(sums), std::span<const Index>(sum_counts), all_sums.data());

  std::vector<std::vector<embedding::RowUse>> uses(tables.size());
  auto key = all_keys.begin();
  Index sum = 0;
  for (std::size_t i = 0; i < all_counts.size(); ++i) {
    const std::size_t table = i % tables.size();
    for (Index n = 0; n < all_counts[i]; ++n, sum += tables[table]->rows->dim())
      uses[table].push_back({key[n], sum, std::int32_t(key[all_counts[i] + n]), 1.0f});
    key += 2 * all_counts[i];
  }
  for (std::size_t i = 0; i < tables.size(); ++i) {
    tables[i]->rows->prepare_sums(uses[i]);
    sink(*tables[i], all_sums.data());
  }
}

}  // namespace tesserec::sharding
