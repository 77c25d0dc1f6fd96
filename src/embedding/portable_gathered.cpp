// SPDX-License-Identifier: Apache-2.0
// Gradients that pass through the host before rows move: of micro-batches, of all ranks, of rows whose columns are
// shared.
#include <algorithm>

#include "portable_rows.hpp"

namespace tesserec::embedding {
namespace {

void gather_into(EmbeddingTable& table, RowSums sums) {
  GatheredRows::Rows& to = table.gathered().next();
  to.rows = std::move(sums.rows);
  to.gradients = std::move(sums.sums);
}

}  // namespace

void PortableRows::gather(const Exec& exec, const float* gradients, Which which) {
  for (Group& group : groups_) {
    if (which == Which::shared ? !group.shared : group.replicated) continue;
    std::vector<RowSums> sums = group.rows->sums(device_of(exec), gradients);
    for (std::size_t at = 0; at < sums.size(); ++at) gather_into(*shards_[group.shards[at]].table, std::move(sums[at]));
  }
}

RowSums PortableRows::sum_gradients(const Exec& exec, std::size_t shard, const float* gradients) {
  Group& group = groups_[places_[shard].group];
  if (group.sums.empty()) group.sums = group.rows->sums(device_of(exec), gradients);
  return std::move(group.sums[places_[shard].at]);
}

const float* PortableRows::order_sums(const Device& device, std::size_t shard, std::span<const RowUse> uses,
                                      const float* sums) {
  const Index dim = shards_[shard].table->dim();
  float* const to = sums_.reserve(device, "tesserec::embedding::sums_of_ranks", std::ssize(uses) * dim);
  std::vector<RowUse> packed(uses.begin(), uses.end());
  for (std::size_t i = 0; i < packed.size(); ++i) {
    std::copy_n(sums + uses[i].gradient, dim, to + Index(i) * dim);
    packed[i].gradient = Index(i) * dim;
  }
  std::vector<std::span<const RowUse>> of_group(groups_[places_[shard].group].shards.size());
  of_group[places_[shard].at] = packed;
  bucket(shard).order_sums(device, of_group, lane_count_);
  return sums_.send(device, std::ssize(uses) * dim);
}

void PortableRows::update_sums(const Exec& exec, std::size_t shard, std::span<const RowUse> uses, const float* sums,
                               double rate, Index step) {
  const float* const there = order_sums(device_of(exec), shard, uses, sums);
  const Index at = places_[shard].at;
  const std::vector<double> rates(groups_[places_[shard].group].shards.size(), rate);
  bucket(shard).update(device_of(exec), there, {at, at + 1}, rates, step);
}

void PortableRows::gather_sums(const Exec& exec, std::size_t shard, std::span<const RowUse> uses, const float* sums) {
  const float* const there = order_sums(device_of(exec), shard, uses, sums);
  gather_into(*shards_[shard].table, std::move(bucket(shard).sums(device_of(exec), there)[places_[shard].at]));
}

void PortableRows::move_gathered(const Exec& exec, std::size_t shard, double rate, Index step) {
  bucket(shard).move_gathered(device_of(exec), places_[shard].at, rate, step);
}

std::vector<float> PortableRows::sum_columns(const Exec& exec, std::size_t shard, int round,
                                             std::span<const float> totals, double rate, Index step) {
  return bucket(shard).sum_columns(device_of(exec), places_[shard].at, round, totals, rate, step);
}

void PortableRows::move_columns(const Exec& exec, std::size_t shard, std::span<const float> totals, double rate,
                                Index step) {
  bucket(shard).move_columns(device_of(exec), places_[shard].at, totals, rate, step);
}

}  // namespace tesserec::embedding
