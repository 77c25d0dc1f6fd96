// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include <tesserec/planning/table_costs.hpp>

namespace tesserec::planning {
namespace {

constexpr double state_bytes = 4;  // of an optimizer state, or a gradient
// Bytes of kernel disk (src/tiers): whereabouts of a row, a slot of the cache, five buffers of 1 MiB for a shard, and
// the share by which the file is larger than its rows. A cache has at least `least_rows` rows.
constexpr double cache_index = 8, disk_slot = 40, disk_buffers = 5 << 20, disk_spare = 0.5, least_rows = 1024;
// Kernel host_cached: a slot of the cache on the host and on the device, and the copies of rows in its memory: those
// of two batches that enter, all of them while the cache is cold, and of one that leave, in buffers with an eighth to
// spare.
constexpr double host_slot = 32, device_slot = 8, device_copies = 1.125;

// Bytes of growing tables (src/tiers): the place of an id, the next ids to leave per id, and eight entries of a bucket
// of the index. Where ids leave by their batches, used ones are listed again. Ids without a row have slots of their
// own: one for all that read zeros in a call, else one each, twice as many as a batch has ids, in memory that is used
// as they are taken.
constexpr double grown_place = 16, grown_leaving = 8, grown_late = 12, grown_index = 64.0 / 8,
                 grown_buckets = 64.0 * 1024;
constexpr double zero_slots = 1024, unknown_slots = 2;

/// Returns the bytes of the index of a growing table, per row.
double growing_index(const embedding::GrowthRules& rules) {
  using enum embedding::Eviction;
  const double each = grown_place + grown_index, counted = each + grown_leaving + grown_late;
  double rows = counted;  // of lfu
  if (rules.eviction == none) rows = each;
  if (rules.eviction == lru || rules.eviction == ttl) rows = each + grown_leaving;
  return rules.admit_after > 1 ? rows + counted : rows;  // ids that wait are as many as rows
}

/// Adds up the row sums of all rounds.
int total_row_sums(optim::Type type) {
  const std::vector<int>& sums = optim::info(type).row_sums;
  return std::accumulate(sums.begin(), sums.end(), 0);
}

}  // namespace

RowStorage::RowStorage(const embedding::EmbeddingBagConfig& table, const ParameterConstraints& constraints,
                       const optim::Settings& optimizer, double batch_ids)
    : weight_bytes(double(bytes_of(table.weight_format()))),
      dense(constraints.kernel.has(ComputeKernel::dense)),
      states(0),
      row_sums(total_row_sums(optimizer.type)) {
  for (const optim::StateInfo& state : optim::states(optimizer.type)) (state.per_row ? row_states : states) += 1;
  if (table.grows()) {
    const bool zeros = table.growth.unknown == embedding::UnknownRow::zeros;
    index = growing_index(table.growth);
    fixed = grown_buckets + (zeros ? zero_slots : unknown_slots * batch_ids) * row_bytes(double(table.embedding_dim));
    return;
  }
  const bool on_host = constraints.kernel.has(ComputeKernel::host_cached);
  if (!on_host && !constraints.kernel.has(ComputeKernel::disk)) return;
  const double rows = double(std::max<Index>(1, table.rows().size()));
  const double cache = constraints.cache.value_or(0), whole = rows * row_bytes(double(table.embedding_dim));
  resident = std::min(1.0, std::max(cache < 1 ? cache : cache / whole, least_rows / rows));
  if (on_host) {
    index = resident * device_slot;
    copies = device_copies;
    host = 1;
    host_index = cache_index + resident * host_slot;
    return;
  }
  index = cache_index + resident * disk_slot;
  fixed = disk_buffers;
  file = 1 + disk_spare;
}

double RowStorage::row_bytes(double columns) const {
  return columns * (weight_bytes + state_bytes * (states + (dense ? 1 : 0))) + state_bytes * row_states;
}

double RowStorage::miss_seconds(double misses, double columns, const MachineCosts& costs) const {
  return host > 0 ? misses * row_bytes(columns) / costs.host_bytes : misses / costs.disk_rows;
}

double RowStorage::bytes(double rows, double columns) const {
  return rows * (resident * row_bytes(columns) + index) + fixed;
}

double RowStorage::travel_bytes(double distinct, double misses, double columns) const {
  return copies * (2 * distinct + misses) * row_bytes(columns);
}

}  // namespace tesserec::planning
