// SPDX-License-Identifier: Apache-2.0
// The way back of a ShardedEmbeddingBagCollection: gradients that are at the owners of rows, and the rows move.
#include <cassert>
#include <span>

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
  count(batch);
  ordered_ = nullptr;
}

void ShardedEmbeddingBagCollection::count(const InFlight& batch) {
  bytes_sent_ += batch.bytes_sent();
  bytes_between_nodes_ += batch.bytes_between_nodes();
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
    count(batch);
    ordered_ = nullptr;
    return;
  }
  if (batch) accumulate(exec, std::move(batch));
  phases_.time("update", [&] { update_gathered(exec, schedule, step, scale); });
}

std::vector<double> ShardedEmbeddingBagCollection::rates(const optim::ScheduleSettings& schedule, Index step) const {
  std::vector<double> all;
  for (const Shard& shard : shards_) all.push_back(rate(shard, schedule, step));
  return all;
}

void ShardedEmbeddingBagCollection::update(const Exec& exec, const float* gradients,
                                           const optim::ScheduleSettings& schedule, Index step) {
  const std::vector<double> all = rates(schedule, step);
  kernels_->update(exec, gradients, all, step);
  if (row_totals_) {
    kernels_->gather(exec, gradients, embedding::RowKernels::Which::shared);
    for (const Shard& shard : shards_)
      if (shard.rows->shares_rows()) shard.rows->finish_gradients(exec, 1.0f);
    update_shared(exec, all, step);
  }
  with_all_ranks(exec, gradients, [&](std::size_t i, std::span<const embedding::RowUse> uses, const float* sums) {
    kernels_->update_sums(exec, i, uses, sums, all[i], step);
  });
}

void ShardedEmbeddingBagCollection::gather(const Exec& exec, const float* gradients) {
  kernels_->gather(exec, gradients, embedding::RowKernels::Which::all);
  with_all_ranks(exec, gradients, [&](std::size_t i, std::span<const embedding::RowUse> uses, const float* sums) {
    kernels_->gather_sums(exec, i, uses, sums);
  });
  gathered_ = true;
}

void ShardedEmbeddingBagCollection::update_gathered(const Exec& exec, const optim::ScheduleSettings& schedule,
                                                    Index step, float scale) {
  const std::vector<double> all = rates(schedule, step);
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    shards_[i].rows->finish_gradients(exec, scale);
    if (!shards_[i].rows->shares_rows()) kernels_->move_gathered(exec, i, all[i], step);
  }
  if (row_totals_) update_shared(exec, all, step);
  gathered_ = false;
}

void ShardedEmbeddingBagCollection::update_shared(const Exec& exec, std::span<const double> all, Index step) {
  std::vector<std::size_t> shared;
  for (std::size_t i = 0; i < shards_.size(); ++i)
    if (shards_[i].rows->shares_rows()) shared.push_back(i);
  const auto rounds = [&](std::size_t k) { return optim::row_rounds(shards_[shared[k]].rows->optimizer().type); };
  std::vector<std::vector<float>> totals(shared.size());
  for (int round = 0; round < row_rounds_; ++round) {
    std::vector<std::vector<float>> sums(shared.size());  // none of those that need no more
    for (std::size_t k = 0; k < shared.size(); ++k)
      if (round < rounds(k)) sums[k] = kernels_->sum_columns(exec, shared[k], round, totals[k], all[shared[k]], step);
    auto received = row_totals_->totals(sums);
    for (std::size_t k = 0; k < shared.size(); ++k)
      if (round < rounds(k)) totals[k] = std::move(received[k]);
  }
  for (std::size_t k = 0; k < shared.size(); ++k)
    kernels_->move_columns(exec, shared[k], totals[k], all[shared[k]], step);
}

template <class Sink>
void ShardedEmbeddingBagCollection::with_all_ranks(const Exec& exec, const float* gradients, const Sink& sink) {
  // One message of each kind for all replicated tables; every rank has the same tables in the same order.
  std::vector<std::size_t> tables;  // shards
  for (std::size_t i = 0; i < shards_.size(); ++i)
    if (replicated(shards_[i])) tables.push_back(i);
  if (tables.empty()) return;
  std::vector<Index> counts, keys;
  std::vector<float> sums;
  const auto dim = [&](std::size_t table) { return shards_[tables[table]].rows->dim(); };
  for (const std::size_t shard : tables) {
    const embedding::RowSums mine = kernels_->sum_gradients(exec, shard, gradients);
    counts.push_back(std::ssize(mine.rows));
    keys.insert(keys.end(), mine.rows.begin(), mine.rows.end());
    keys.insert(keys.end(), mine.leaves.begin(), mine.leaves.end());
    sums.insert(sums.end(), mine.sums.begin(), mine.sums.end());
  }
  const std::vector<Index> all_counts = comm_.all_gather_equal(std::span<const Index>(counts));
  std::vector<Index> key_counts, sum_counts;  // [rank]
  for (std::size_t i = 0; i < all_counts.size(); ++i) {
    const std::size_t table = i % tables.size();
    if (table == 0) {
      key_counts.push_back(0);
      sum_counts.push_back(0);
    }
    key_counts.back() += 2 * all_counts[i];
    sum_counts.back() += all_counts[i] * dim(table);
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
    for (Index n = 0; n < all_counts[i]; ++n, sum += dim(table))
      uses[table].push_back({key[n], sum, std::int32_t(key[all_counts[i] + n]), 1.0f});
    key += 2 * all_counts[i];
  }
  for (std::size_t i = 0; i < tables.size(); ++i) sink(tables[i], std::span(uses[i]), all_sums.data());
}

}  // namespace tesserec::sharding
