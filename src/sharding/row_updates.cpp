// SPDX-License-Identifier: Apache-2.0
#include "row_updates.hpp"

#include <algorithm>

#include "message.hpp"

namespace tesserec::sharding {

RowUpdates::RowUpdates(const comm::Communicator& group, const planning::ShardingPlan& plan,
                       const std::vector<int>& rounds, std::vector<Shard> shards,
                       std::unique_ptr<embedding::RowKernels> kernels)
    : shards_(std::move(shards)), kernels_(std::move(kernels)) {
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    const bool listed = shards_[i].copies != nullptr || shards_[i].rows->shares_rows();
    (listed ? listed_ : plain_).push_back(i);
    all_.push_back(i);
  }
  rounds_ = rounds.empty() ? 0 : *std::max_element(rounds.begin(), rounds.end());
  if (rounds_ > 0) totals_.emplace(group, plan, std::vector<bool>(rounds.begin(), rounds.end()));
}

double RowUpdates::rate(std::size_t shard, const optim::ScheduleSettings& schedule, Index step) const {
  return optim::scheduled_rate(schedule, shards_[shard].rows->optimizer().lr, step);
}

void RowUpdates::move(const Exec& exec, const embedding::RowBatch& batch, const float* gradients,
                      const optim::ScheduleSettings& schedule, Index step) {
  std::vector<double> rates;
  for (const std::size_t i : plain_) rates.push_back(rate(i, schedule, step));
  kernels_->move(exec, {.shards = plain_, .rates = rates, .step = step, .batch = &batch, .gradients = gradients});

  std::vector<embedding::RowSums> sums = sum(exec, batch, gradients, listed_);
  Listed listed;
  for (std::size_t at = 0; at < listed_.size(); ++at) {
    embedding::limit(exec, sums[at], 1.0f, float(shards_[listed_[at]].rows->optimizer().max_gradient));
    listed.shards.push_back(listed_[at]);
    listed.sums.push_back(&sums[at]);
  }
  move_listed(exec, listed, schedule, step);
}

void RowUpdates::add(const Exec& exec, const embedding::RowBatch& batch, const float* gradients, GradientSums& sums) {
  if (sums.shards_.empty())
    for (const Shard& shard : shards_)
      sums.shards_.push_back({embedding::GatheredRows(shard.rows->dim()), !shard.copies || shard.copies->rank() == 0});
  std::vector<embedding::RowSums> own = sum(exec, batch, gradients, all_);
  for (const std::size_t i : all_) sums.shards_[i].sums.add(std::move(own[i]));
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
    if (embedding::MovedRows* const moved = shards_[i].rows->moved()) moved->add(sums.rows);
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

std::vector<embedding::RowSums> RowUpdates::sum(const Exec& exec, const embedding::RowBatch& batch,
                                                const float* gradients, std::span<const std::size_t> shards) const {
  if (shards.empty()) return {};
  std::vector<embedding::RowSums> sums = kernels_->sum(exec, batch, gradients, shards);
  struct Copied {
    const comm::Communicator* copies;
    std::vector<std::size_t> shards, places;
  };
  std::vector<Copied> all;  // in the order of shards, which is the same on the ranks with copies
  for (std::size_t at = 0; at < shards.size(); ++at) {
    const comm::Communicator* const copies = shards_[shards[at]].copies;
    if (copies == nullptr) continue;
    auto found = std::ranges::find(all, copies, &Copied::copies);
    if (found == all.end()) found = all.insert(found, {copies, {}, {}});
    found->shards.push_back(shards[at]);
    found->places.push_back(at);
  }
  for (const Copied& copied : all) add_copies(exec, *copied.copies, copied.shards, copied.places, sums);
  return sums;
}

void RowUpdates::add_copies(const Exec& exec, const comm::Communicator& copies, std::span<const std::size_t> shards,
                            std::span<const std::size_t> places, std::vector<embedding::RowSums>& sums) const {
  // All shards share one message of each kind, because every rank with copies has the same shards in the same order.
  const std::size_t count = shards.size();
  std::vector<Index> counts, keys;
  std::vector<float> vectors;
  const auto dim = [&](std::size_t i) { return shards_[shards[i]].rows->dim(); };
  for (const std::size_t place : places) {
    const embedding::RowSums& own = sums[place];
    counts.push_back(std::ssize(own.rows));
    keys.insert(keys.end(), own.rows.begin(), own.rows.end());
    keys.insert(keys.end(), own.leaves.begin(), own.leaves.end());
    vectors.insert(vectors.end(), own.sums.begin(), own.sums.end());
  }
  const std::vector<Index> all_counts = copies.all_gather_equal(std::span<const Index>(counts));
  std::vector<Index> key_counts(copies.size()), vector_counts(copies.size());
  for (std::size_t i = 0; i < all_counts.size(); ++i) {
    key_counts[i / count] += 2 * all_counts[i];
    vector_counts[i / count] += all_counts[i] * dim(i % count);
  }
  std::vector<Index> all_keys(total(key_counts));
  std::vector<float> all_vectors(total(vector_counts));
  copies.all_gather(std::span<const Index>(keys), std::span<const Index>(key_counts), all_keys.data());
  copies.all_gather(std::span<const float>(vectors), std::span<const Index>(vector_counts), all_vectors.data());

  std::vector<std::vector<embedding::RowUse>> uses(count);
  auto key = all_keys.begin();
  Index vector = 0;
  for (std::size_t i = 0; i < all_counts.size(); ++i) {
    for (Index n = 0; n < all_counts[i]; ++n, vector += dim(i % count))
      uses[i % count].push_back({key[n], vector, std::int32_t(key[all_counts[i] + n]), 1.0f});
    key += 2 * all_counts[i];
  }
  for (std::size_t i = 0; i < count; ++i)
    sums[places[i]] =
        embedding::add_sums(exec, std::move(uses[i]), shards_[shards[i]].rows->rows().end, all_vectors.data(), dim(i));
}

}  // namespace tesserec::sharding
