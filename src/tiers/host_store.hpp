// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cached_rows.hpp"
#include "host_records.hpp"
#include "row_transfers.hpp"
#include <tesserec/tiers/host_cached_rows.hpp>

namespace tesserec::tiers {

/// Store of host_cached_rows(): slots in a device's memory, before records in host memory.
class HostCachedRows : public CachedRows {
 public:
  HostCachedRows(const Exec& exec, const embedding::TableShard& shard, Index slots);

  const Index* rows_of_slots() const override { return rows_of_slots_.data(); }
  void read(const Exec& exec, std::size_t matrix, Range rows, float* to) const override;
  Bytes bytes() const override;
  embedding::CacheUse cache_use() const override;

 private:
  void settle(const Exec& exec) const override;
  void save(const Exec& exec, Index slot) override;
  void load(Index slot) override { entering_.push_back(slot); }
  void transfer(const Exec& exec) override;
  Index put(const Exec& exec, std::size_t matrix, std::span<const Index> slots, const float* from) override;
  void drop(Index place) override { records_.drop(place); }

  void send(const Exec& exec);

  PlacedVector<Index> rows_of_slots_;
  mutable RowTransfers transfers_;  // whose buffers read() uses
  HostRecords records_;
  std::vector<Index> entering_{}, leaving_{};  // slots, of one call of pin()
  std::vector<Index> places_{};                // places of the rows at `leaving_`
  mutable std::vector<Index> returning_{};     // places of rows on the way to the host
};

}  // namespace tesserec::tiers
