// SPDX-License-Identifier: Apache-2.0
#include "portable_rows.hpp"

#include <algorithm>
#include <cassert>

#include <tesserec/core/tree.hpp>

namespace tesserec::embedding {

PortableRows::PortableRows(std::vector<Shard> shards) : shards_(std::move(shards)), places_(shards_.size()) {
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    const Shard& shard = shards_[i];
    const auto fits = [&](const Group& group) {
      return group.fetched == shard.fetched && group.replicated == shard.replicated &&
             RowBucket::fit_together(*shards_[group.shards.front()].table, *shard.table);
    };
    auto group = std::find_if(groups_.begin(), groups_.end(), fits);
    if (group == groups_.end())
      group = groups_.insert(group, Group{{}, shard.fetched, shard.replicated, shard.table->shares_rows(), nullptr});
    group->shards.push_back(i);
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    std::vector<EmbeddingTable*> tables;
    for (const std::size_t i : group.shards) {
      places_[i] = {g, tables.size()};
      tables.push_back(shards_[i].table);
    }
    group.rows = std::make_unique<RowBucket>(tables);
  }
}

void PortableRows::read(const Exec& exec, const RowBatch& batch) {
  for (const Group& group : groups_) {
    std::vector<const AskedShard*> of_group;
    for (const std::size_t i : group.shards) of_group.push_back(&batch.asked[i]);
    group.rows->bags().read(device_of(exec), of_group, *batch.split);
  }
  read_ = batch.asked.data();
  ordered_ = false;
  if (batch.gradients) order(exec, batch);
}

void PortableRows::lookup(const Exec& exec, [[maybe_unused]] const RowBatch& batch, float* sums) {
  assert(read_ == batch.asked.data());
  for (const Group& group : groups_) group.rows->lookup(device_of(exec), sums);
}

void PortableRows::order(const Exec& exec, const RowBatch& batch) {
  const Device device = device_of(exec);
  const int lanes = batch.split->lane_count();
  if (read_ != batch.asked.data()) read(exec, batch);  // another batch came meanwhile
  if (ordered_) return;
  for (const Group& group : groups_) {
    if (!group.fetched) {
      group.rows->order(device, lanes, group.replicated ? batch.own_lanes : whole_tree);
      continue;
    }
    std::vector<std::span<const RowUse>> sums;
    for (const std::size_t i : group.shards) sums.push_back(batch.asked[i].gradients);
    group.rows->order_sums(device, sums, lanes);
  }
  ordered_ = true;
}

std::vector<RowSums> PortableRows::sum(const Exec& exec, const RowBatch& batch, const float* gradients,
                                       std::span<const std::size_t> shards) {
  order(exec, batch);
  std::vector<std::vector<RowSums>> of_groups(groups_.size());
  std::vector<RowSums> all;
  for (const std::size_t i : shards) {
    const Group& group = groups_[places_[i].group];
    std::vector<RowSums>& sums = of_groups[places_[i].group];
    if (sums.empty()) sums = group.rows->sums(device_of(exec), gradients);
    all.push_back(std::move(sums[places_[i].at]));
    if (!group.replicated) all.back().leaves.clear();
  }
  return all;
}

std::vector<std::vector<float>> PortableRows::move(const Exec& exec, const RowMoves& moves) {
  const Device device = device_of(exec);
  std::vector<std::vector<float>> sums(moves.shards.size());
  if (moves.batch == nullptr) {
    for (std::size_t at = 0; at < moves.shards.size(); ++at) {
      const std::size_t i = moves.shards[at];
      sums[at] = bucket(i).move(device, places_[i].at, moves, at);
    }
    return sums;
  }
  order(exec, *moves.batch);
  std::vector<double> rates(shards_.size());
  for (std::size_t at = 0; at < moves.shards.size(); ++at) rates[moves.shards[at]] = moves.rates[at];
  for (const Group& group : groups_) {
    if (group.shared || group.replicated) continue;
    std::vector<double> of_group;
    for (const std::size_t i : group.shards) of_group.push_back(rates[i]);
    group.rows->update(device, moves.gradients, of_group, moves.step);
  }
  return sums;
}

}  // namespace tesserec::embedding
