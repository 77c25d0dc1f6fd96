// SPDX-License-Identifier: Apache-2.0
#include "portable_rows.hpp"

#include <algorithm>
#include <cassert>

#include <tesserec/core/tree.hpp>

namespace tesserec::embedding {
namespace {

/// Records the rows of a shard's bags, if the table records moves.
void record_moves(const ShardBags& bags, EmbeddingTable& table) {
  MovedRows* const moved = table.moved();
  if (moved == nullptr) return;
  for (const std::vector<Bags>& run : bags)
    for (const Bags& feature : run)
      if (feature.count > 0) moved->add(std::span(feature.ids + feature.offsets[0], feature.total()));
}

}  // namespace

PortableRows::PortableRows(std::vector<Shard> shards) : shards_(std::move(shards)), places_(shards_.size()) {
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    const Shard& shard = shards_[i];
    const auto fits = [&](const Group& group) {
      return group.fetched == shard.fetched && group.askers == shard.askers &&
             RowBucket::fit_together(*shards_[group.shards.front()].table, *shard.table);
    };
    auto group = std::find_if(groups_.begin(), groups_.end(), fits);
    if (group == groups_.end())
      group = groups_.insert(group, Group{{}, shard.fetched, shard.askers, shard.table->shares_rows(), nullptr});
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

std::deque<RowBucket::Lists>& PortableRows::lists_of(const RowBatch& batch) {
  assert(*batch.lists != nullptr);
  return static_cast<GroupLists&>(**batch.lists).groups;
}

void PortableRows::read(const Exec& exec, const RowBatch& batch) {
  const Device device = device_of(exec);
  const int lanes = batch.split->lane_count();
  if (*batch.lists == nullptr) {
    auto made = std::make_unique<GroupLists>();
    for (const Group& group : groups_) made->groups.emplace_back(*group.rows);
    *batch.lists = std::move(made);
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    RowBucket::Lists& lists = lists_of(batch)[g];
    std::vector<const ShardLookups*> lookups;
    for (const std::size_t i : group.shards) lookups.push_back(&batch.lookups[i]);
    lists.bags.read(device, lookups, *batch.split);
    if (!batch.gradients) continue;
    const Range own_lanes = shards_[group.shards.front()].lanes(batch);
    if (!group.fetched) {
      lists.runs.order(device, lists.bags, lanes, own_lanes);
      continue;
    }
    std::vector<std::span<const RowUse>> sums;
    for (const ShardLookups* const shard : lookups) sums.push_back(shard->gradients);
    lists.runs.order_sums(device, sums, lanes, own_lanes);
  }
}

void PortableRows::lookup(const Exec& exec, const RowBatch& batch, float* sums) {
  for (std::size_t g = 0; g < groups_.size(); ++g)
    groups_[g].rows->lookup(device_of(exec), lists_of(batch)[g].bags, sums);
}

std::vector<RowSums> PortableRows::sum(const Exec& exec, const RowBatch& batch, const float* gradients,
                                       std::span<const std::size_t> shards) {
  std::vector<std::vector<RowSums>> of_groups(groups_.size());
  std::vector<RowSums> result;
  for (const std::size_t i : shards) {
    const auto [g, at] = places_[i];
    const Group& group = groups_[g];
    std::vector<RowSums>& sums = of_groups[g];
    if (sums.empty()) sums = group.rows->sums(device_of(exec), lists_of(batch)[g].runs, gradients);
    result.push_back(std::move(sums[at]));
    if (group.askers == Askers::all_ranks) result.back().leaves.clear();
  }
  return result;
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
  std::vector<double> rates(shards_.size());
  for (std::size_t at = 0; at < moves.shards.size(); ++at) rates[moves.shards[at]] = moves.rates[at];
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    if (group.shared || group.askers != Askers::all_ranks) continue;
    std::vector<double> of_group;
    for (const std::size_t i : group.shards) of_group.push_back(rates[i]);
    group.rows->update(device, lists_of(*moves.batch)[g].runs, moves.gradients, of_group, moves.step);
  }
  for (const std::size_t i : moves.shards)  // while the device updates the rows
    record_moves(moves.batch->lookups[i].bags, *shards_[i].table);
  return sums;
}

}  // namespace tesserec::embedding
