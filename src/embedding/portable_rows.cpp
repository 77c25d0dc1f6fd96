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
      group =
          groups_.insert(group, Group{{}, shard.fetched, shard.replicated, shard.table->shares_rows(), nullptr, {}});
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

void PortableRows::read(const Exec& exec, std::span<const AskedShard> asked, const BatchSplit& split) {
  for (const Group& group : groups_) {
    std::vector<const AskedShard*> of_group;
    for (const std::size_t i : group.shards) of_group.push_back(&asked[i]);
    group.rows->bags().read(device_of(exec), of_group, split);
  }
  read_ = asked.data();
}

void PortableRows::lookup(const Exec& exec, [[maybe_unused]] std::span<const AskedShard> asked, const BatchSplit&,
                          float* sums) {
  assert(read_ == asked.data());
  for (const Group& group : groups_) group.rows->bags().lookup(device_of(exec), sums);
}

void PortableRows::order_ids(const Exec& exec, std::span<const AskedShard> asked, const BatchSplit& split, Range own) {
  const Device device = device_of(exec);
  if (read_ != asked.data()) read(exec, asked, split);  // another batch came meanwhile
  lane_count_ = split.lane_count();
  for (Group& group : groups_) {
    group.sums.clear();
    if (!group.fetched) {
      group.rows->order(device, split.lane_count(), group.replicated ? own : whole_tree);
      continue;
    }
    std::vector<std::span<const RowUse>> sums;
    for (const std::size_t i : group.shards) sums.push_back(asked[i].gradients);
    group.rows->order_sums(device, sums, split.lane_count());
  }
}

void PortableRows::update(const Exec& exec, const float* gradients, std::span<const double> rates, Index step) {
  for (const Group& group : groups_) {
    if (group.shared || group.replicated) continue;
    std::vector<double> of_group;
    for (const std::size_t i : group.shards) of_group.push_back(rates[i]);
    group.rows->update(device_of(exec), gradients, {0, std::ssize(of_group)}, of_group, step);
  }
}

}  // namespace tesserec::embedding
