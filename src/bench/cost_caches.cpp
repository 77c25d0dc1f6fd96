// SPDX-License-Identifier: Apache-2.0
// Rows that caches lack: of kernel disk and of kernel host_cached.
#include <algorithm>
#include <random>

#include "costs.hpp"
#include <tesserec/core/placed.hpp>
#include <tesserec/tiers/disk_rows.hpp>
#include <tesserec/tiers/host_cached_rows.hpp>

namespace tesserec::bench {
namespace {

constexpr Index dim = 128, batch = 2048;

/// Returns the rows of a table that takes `memory` bytes, within bounds.
Index table_rows(const Context& context, Index most) {
  return std::clamp<Index>(context.settings.memory / (dim * Index{sizeof(float)}), 16 * batch, most);
}

/// Returns the seconds in which a batch of random rows is pinned and moved, after every row has moved once.
double seconds_of_batch(const Context& context, embedding::RowStore& store, Index rows) {
  std::vector<Index> list(batch);
  const auto move = [&] {
    embedding::PinnedRows pinned(context.exec, store, list);
    pinned.wait();
    pinned.set_moved();
  };
  for (Index first = 0; first < rows; first += batch) {
    for (Index i = 0; i < batch; ++i) list[i] = (first + i) % rows;
    move();
  }
  std::mt19937_64 random(context.comm.rank());
  return context.seconds([&] {
    for (Index& row : list) row = Index(random() % std::uint64_t(rows));
    move();
  });
}

}  // namespace

void measure_disk_costs(const Context& context, const std::string& folder, Report& report) {
  const Index rows = table_rows(context, Index{1} << 18);
  const embedding::TableShard shard{.config = embedding::table_config("bench", rows, dim), .columns = {0, dim}};
  tiers::DiskSettings settings;
  settings.folder = folder;
  settings.cache = 0;
  settings.least_rows = 2 * batch;
  const auto store = tiers::disk_rows(settings)(context.exec, shard);
  set_rate(report, "disk_rows", seconds_of_batch(context, *store, rows) / double(batch));
}

void measure_host_costs(const Context& context, Report& report) {
  if (device_is_host) return;
  const Index rows = table_rows(context, Index{1} << 20);
  const embedding::TableShard shard{
      .config = embedding::table_config("bench", rows, dim), .columns = {0, dim}, .place = Place::device};
  const auto store = tiers::host_cached_rows({.cache = 0, .least_rows = 2 * batch})(context.exec, shard);
  const double seconds = seconds_of_batch(context, *store, rows);
  set_rate(report, "host_bytes", seconds / double(batch * dim * Index{sizeof(float)}));
}

}  // namespace tesserec::bench
