// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>

#include "costs.hpp"
#include <tesserec/tiers/disk_rows.hpp>

namespace tesserec::bench {

void measure_disk_costs(const Context& context, const std::string& folder, Report& report) {
  constexpr Index dim = 128, batch = 2048, max_rows = Index{1} << 18;
  const Index rows = std::clamp<Index>(context.settings.memory / (dim * Index{sizeof(float)}), 16 * batch, max_rows);
  embedding::TableShard shard{.config = embedding::table_config("bench", rows, dim), .columns = {0, dim}};
  tiers::DiskSettings settings;
  settings.folder = folder;
  settings.cache = 0;
  settings.least_rows = 2 * batch;
  const auto store = tiers::disk_rows(settings)(context.exec, shard);
  std::vector<Index> list(batch);
  const auto move = [&] {
    embedding::PinnedRows pinned(context.exec, *store, list);
    pinned.wait();
    pinned.set_moved();
  };
  for (Index first = 0; first < rows; first += batch) {  // after that every row lies in the file
    for (Index i = 0; i < batch; ++i) list[i] = (first + i) % rows;
    move();
  }
  std::mt19937_64 random(context.comm.rank());
  const double seconds = context.seconds([&] {
    for (Index& row : list) row = Index(random() % std::uint64_t(rows));
    move();
  });
  set_rate(report, "disk_rows", seconds / double(batch));
}

}  // namespace tesserec::bench
