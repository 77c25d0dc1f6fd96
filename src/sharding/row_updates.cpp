// SPDX-License-Identifier: Apache-2.0
#include "row_updates.hpp"

#include <algorithm>

#include "message.hpp"

namespace tesserec::sharding {

RowUpdates::RowUpdates(const comm::Communicator& comm, const planning::ShardingPlan& plan,
                       const std::vector<int>& rounds, std::vector<Shard> shards,
                       std::unique_ptr<embedding::RowKernels> kernels)
    : comm_(comm), shards_(std::move(shards)), kernels_(std::move(kernels)) {
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    const bool shared = shards_[i].rows->shares_rows();
    std::vector<std::size_t>& unshared = shards_[i].replicated ? replicated_ : plain_;
    (shared ? shared_ : unshared).push_back(i);
  }
  rounds_ = rounds.empty() ? 0 : *std::max_element(rounds.begin(), rounds.end());
  if (rounds_ > 0) totals_.emplace(comm, plan, std::vector<bool>(rounds.begin(), rounds.end()));
}

double RowUpdates::rate(std::size_t shard, const optim::ScheduleSettings& schedule, Index step) const {
  return optim::scheduled_rate(schedule, shards_[shard].rows->optimizer().lr, step);
}

void RowUpdates::move(const Exec& exec, const embedding::RowBatch& batch, const float* gradients,
                      const optim::ScheduleSettings& schedule, Index step) {
  std::vector<double> rates;
  for (const std::size_t i : plain_) rates.push_back(rate(i, schedule, step));
  kernels_->move(exec, {.shards = plain_, .rates = rates, .step = step, .batch = &batch, .gradients = gradients});

  Listed listed;
  std::vector<embedding::RowSums> shared;
  if (!shared_.empty()) shared = kernels_->sum(exec, batch, gradients, shared_);
  std::vector<embedding::RowSums> replicated = sum_replicated(exec, batch, gradients);
  const auto list = [&](const std::vector<std::size_t>& shards, std::vector<embedding::RowSums>& sums) {
    for (std::size_t at = 0; at < shards.size(); ++at) {
      embedding::limit(exec, sums[at], 1.0f, float(shards_[shards[at]].rows->optimizer().max_gradient));
      listed.shards.push_back(shards[at]);
      listed.sums.push_back(&sums[at]);
    }
  };
  list(shared_, shared);
  list(replicated_, replicated);
  move_listed(exec, listed, schedule, step);
}

void RowUpdates::add(const Exec& exec, const embedding::RowBatch& batch, const float* gradients, GradientSums& sums) {
  if (sums.shards_.empty())
    for (const Shard& shard : shards_)
      sums.shards_.push_back({embedding::GatheredRows(shard.rows->dim()), !shard.replicated || comm_.rank() == 0});
  const auto add = [&](const std::vector<std::size_t>& shards, std::vector<embedding::RowSums> own) {
    for (std::size_t at = 0; at < shards.size(); ++at) sums.shards_[shards[at]].sums.add(std::move(own[at]));
  };
  std::vector<std::size_t> owned = plain_;
  owned.insert(owned.end(), shared_.begin(), shared_.end());
  add(owned, kernels_->sum(exec, batch, gradients, owned));
  add(replicated_, sum_replicated(exec, batch, gradients));
}

void RowUpdates::move(const Exec& exec, GradientSums& sums, const optim::ScheduleSettings& schedule, Index step,
                      float scale) {
  Listed listed;
  for (std::size_t i = 0; i < shards_.size() && !sums.shards_.empty(); ++i) {
    embedding::RowSums& own = sums.shards_[i].sums.finish();
    embedding::limit(exec, own, scale, float(shards_[i].rows->optimizer().max_gradient));
    listed.shards.push_back(i);
    listed.sums.push_back(&own);
  }
  move_listed(exec, listed, schedule, step);
  for (GradientSums::Shard& shard : sums.shards_) shard.sums.clear();
}

void RowUpdates::move_listed(const Exec& exec, const Listed& listed, const optim::ScheduleSettings& schedule,
                             Index step) {
  struct Moving {
    std::vector<std::size_t> shards;
    std::vector<double> rates;
    std::vector<embedding::RowMoves::Rows> rows;
    embedding::RowMoves moves(Index step) const {
      return {.shards = shards, .rates = rates, .step = step, .rows = rows};
    }
  };
  Moving whole, shared;
  std::vector<embedding::PinnedRows> pinned(listed.shards.size());
  std::vector<std::vector<Index>> slots(listed.shards.size());
  for (std::size_t at = 0; at < listed.shards.size(); ++at) {
    const std::size_t i = listed.shards[at];
    embedding::RowStore& store = shards_[i].rows->store();
    const embedding::RowSums& sums = *listed.sums[at];
    if (store.ordered()) {
      for (const Index row : sums.rows) slots[at].push_back(row - store.first_row());
    } else {
      pinned[at] = embedding::PinnedRows(exec, store, sums.rows);
      pinned[at].wait();
      pinned[at].set_moved();
    }
    Moving& to = shards_[i].rows->shares_rows() ? shared : whole;
    to.shards.push_back(i);
    to.rates.push_back(rate(i, schedule, step));
    to.rows.push_back({store.ordered() ? slots[at] : pinned[at].slots(), sums.sums.data()});
  }
  if (!whole.shards.empty()) kernels_->move(exec, whole.moves(step));
  if (!totals_) return;
  std::vector<std::vector<float>> totals;
  for (int round = 0; round <= rounds_; ++round) {
    embedding::RowMoves moves = shared.moves(step);
    moves.round = round;
    moves.totals = totals;
    const std::vector<std::vector<float>> sums = kernels_->move(exec, moves);
    if (round < rounds_) totals = totals_->totals(sums);
  }
}

std::vector<embedding::RowSums> RowUpdates::sum_replicated(const Exec& exec, const embedding::RowBatch& batch,
                                                           const float* gradients) {
  if (replicated_.empty()) return {};
  // All replicated tables share one message of each kind, because every rank has the same tables in the same order.
  const std::size_t tables = replicated_.size();
  std::vector<Index> counts, keys;
  std::vector<float> sums;
  const auto dim = [&](std::size_t table) { return shards_[replicated_[table]].rows->dim(); };
  for (const embedding::RowSums& own : kernels_->sum(exec, batch, gradients, replicated_)) {
    counts.push_back(std::ssize(own.rows));
    keys.insert(keys.end(), own.rows.begin(), own.rows.end());
    keys.insert(keys.end(), own.leaves.begin(), own.leaves.end());
    sums.insert(sums.end(), own.sums.begin(), own.sums.end());
  }
  const std::vector<Index> all_counts = comm_.all_gather_equal(std::span<const Index>(counts));
  std::vector<Index> key_counts(comm_.size()), sum_counts(comm_.size());
  for (std::size_t i = 0; i < all_counts.size(); ++i) {
    key_counts[i / tables] += 2 * all_counts[i];
    sum_counts[i / tables] += all_counts[i] * dim(i % tables);
  }
  std::vector<Index> all_keys(total(key_counts));
  std::vector<float> all_sums(total(sum_counts));
  comm_.all_gather(std::span<const Index>(keys), std::span<const Index>(key_counts), all_keys.data());
  comm_.all_gather(std::span<const float>(sums), std::span<const Index>(sum_counts), all_sums.data());

  std::vector<std::vector<embedding::RowUse>> uses(tables);
  auto key = all_keys.begin();
  Index sum = 0;
  for (std::size_t i = 0; i < all_counts.size(); ++i) {
    const std::size_t table = i % tables;
    for (Index n = 0; n < all_counts[i]; ++n, sum += dim(table))
      uses[table].push_back({key[n], sum, std::int32_t(key[all_counts[i] + n]), 1.0f});
    key += 2 * all_counts[i];
  }
  std::vector<embedding::RowSums> result;
  for (std::size_t table = 0; table < tables; ++table)
    result.push_back(embedding::add_sums(exec, std::move(uses[table]), shards_[replicated_[table]].rows->rows().end,
                                         all_sums.data(), dim(table)));
  return result;
}

}  // namespace tesserec::sharding
