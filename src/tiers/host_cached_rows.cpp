// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <utility>

#include "host_store.hpp"
#include <tesserec/core/error.hpp>

namespace tesserec::tiers {
namespace {

using embedding::RowMatrix;
using embedding::TableShard;

constexpr Index records_per_task = 256;

/// Calls body(begin, end) for runs of [0, count) on the host's threads. Blocks.
template <class Body>
void over_records(const Exec& exec, const char* label, Index count, const Body& body) {
  parallel_for(exec, label, (count + records_per_task - 1) / records_per_task, [&](Index task) noexcept {
    body(task * records_per_task, std::min(count, (task + 1) * records_per_task));
  });
  exec.fence();
}

}  // namespace

HostCachedRows::HostCachedRows(const Exec& exec, const TableShard& shard, Index slots)
    : CachedRows(shard, embedding::row_matrices(exec, shard, slots)),
      rows_of_slots_(exec, Place::device, "tesserec::tiers::rows_of_slots " + name(), slots),
      transfers_(matrices(), rows_of_slots_.data()),
      records_(name(), transfers_.record_bytes(), shard.rows().size()) {}

/// Lists the row among those that leave if it has moved.
void HostCachedRows::save(const Exec& exec, Index slot) {
  Held& held = this->held(slot);
  if (!held.moved) return;
  if (held.place < 0) held.place = records_.take(exec);
  leaving_.push_back(slot);
  places_.push_back(held.place);
}

void HostCachedRows::transfer(const Exec& exec) {
  if (entering_.empty()) return;
  settle(exec);  // rows that left earlier may enter now
  if (!leaving_.empty()) {
    transfers_.fetch(device_of(exec), leaving_);
    use().bytes_written += std::ssize(leaving_) * transfers_.record_bytes();
    std::swap(returning_, places_);
    leaving_.clear();
  }
  send(exec);
  entering_.clear();
}

/// Copies the records of rows that enter to the device.
void HostCachedRows::send(const Exec& exec) {
  const Index count = std::ssize(entering_), bytes = transfers_.record_bytes();
  const Device device = device_of(exec);
  std::byte* const staged = transfers_.stage(device, count);
  std::vector<Index> rows(entering_.size());
  over_records(exec, "tesserec::tiers::gather", count, [&](Index begin, Index end) {
    std::vector<float> scratch;
    for (Index i = begin; i < end; ++i) {
      const Held& entering = held(entering_[i]);
      std::byte* const record = staged + i * bytes;
      rows[i] = entering.row;
      if (entering.place >= 0)
        std::memcpy(record, records_.at(entering.place), bytes);
      else
        for (std::size_t m = 0; m < matrices().size(); ++m)
          start().write(entering.row, m, matrices()[m], record + transfers_.offset(m), scratch);
    }
  });
  transfers_.send(device, entering_, rows);
  use().reads += count;
  use().bytes_read += count * bytes;
}

/// Stores the rows that are on the way to the host.
void HostCachedRows::settle(const Exec& exec) const {
  if (returning_.empty()) return;
  const std::byte* const fetched = transfers_.fetched();
  const Index bytes = transfers_.record_bytes();
  over_records(exec, "tesserec::tiers::store", std::ssize(returning_), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) std::memcpy(records_.at(returning_[i]), fetched + i * bytes, bytes);
  });
  returning_.clear();
}

void HostCachedRows::read(const Exec& exec, std::size_t matrix, Range rows, float* to) const {
  settle(exec);
  const RowMatrix& from = matrices()[matrix];
  const Index columns = from.columns(), offset = transfers_.offset(matrix);
  std::vector<Index> resident;
  std::vector<float*> resident_to;
  for (Index begin = rows.begin; begin < rows.end; begin += rows_at_once) {
    resident.clear();
    resident_to.clear();
    for (Index row = begin; row < std::min(rows.end, begin + rows_at_once); ++row, to += columns) {
      const Whereabouts at = where(row);
      if (at.is_resident()) {
        resident.push_back(at.slot());
        resident_to.push_back(to);
      } else if (at.place() >= 0) {
        from.get(records_.at(at.place()) + offset, columns, to);
      } else {
        start().write(row, matrix, columns, to);
      }
    }
    if (resident.empty()) continue;
    transfers_.fetch(device_of(exec), resident);
    const std::byte* const fetched = transfers_.fetched() + offset;
    for (std::size_t i = 0; i < resident.size(); ++i)
      from.get(fetched + Index(i) * transfers_.record_bytes(), columns, resident_to[i]);
  }
}

Index HostCachedRows::put(const Exec& exec, std::size_t matrix, std::span<const Index> slots, const float* from) {
  const RowMatrix& to = matrices()[matrix];
  const Device device = device_of(exec);
  std::byte* record = transfers_.stage(device, std::ssize(slots)) + transfers_.offset(matrix);
  Index rounded = 0;
  for (std::size_t i = 0; i < slots.size(); ++i, record += transfers_.record_bytes(), from += to.columns())
    rounded += to.put(from, to.columns(), record);
  transfers_.send(device, slots, matrix);
  return rounded;
}

embedding::RowStore::Bytes HostCachedRows::bytes() const {
  Bytes all = CachedRows::bytes();
  all.device += slots() * Index{sizeof(Index)} + transfers_.device_bytes();
  all.host += Index(records_.bytes()) + transfers_.host_bytes();
  return all;
}

embedding::CacheUse HostCachedRows::cache_use() const {
  embedding::CacheUse all = use();
  all.slots = slots();
  all.io = "pinned memory";
  return all;
}

embedding::MakeRowStore host_cached_rows(const HostCacheSettings& settings) {
  return [=](const Exec& exec, const TableShard& shard) -> std::unique_ptr<embedding::RowStore> {
    if (shard.place != Place::device)
      fail("table ", shard.config.name,
           ": rows in host memory are cached in a device's memory, but kernels read this table in host memory; keep "
           "all rows there (memory_rows)");
    const Index slots = cache_slots(shard, settings.cache, settings.table_caches, settings.least_rows).slots;
    return std::make_unique<HostCachedRows>(exec, shard, slots);
  };
}

}  // namespace tesserec::tiers
