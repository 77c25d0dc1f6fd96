// SPDX-License-Identifier: Apache-2.0
#include "cached_rows.hpp"

#include <algorithm>
#include <cmath>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::tiers {

using embedding::RowMatrix;
using embedding::TableShard;

namespace {

constexpr std::size_t ahead = 16;    // rows between a prefetch and its use
constexpr Index victims_ahead = 16;  // slots between the clock's hand and a prefetch

}  // namespace

CachedRows::CachedRows(const TableShard& shard, std::vector<RowMatrix> all)
    : RowStore(shard, std::move(all)),
      name_(shard.config.name),
      record_bytes_(tiers::record_bytes(matrices())),
      start_(shard),
      where_(shard.rows().size()),
      held_(weight_matrix().slots()),
      victims_(weight_matrix().slots()) {}

std::vector<Index> CachedRows::pin(const Exec& exec, std::span<const Index> rows) {
  use_.pinned += std::ssize(rows);
  std::vector<Index> slots(rows.size(), -1);
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + 2 * ahead < rows.size()) __builtin_prefetch(&where_[rows[i + 2 * ahead] - first_row()]);
    if (i + ahead < rows.size() && where(rows[i + ahead]).is_resident())
      victims_.prefetch(where(rows[i + ahead]).slot());
    const Whereabouts at = where(rows[i]);
    if (!at.is_resident()) {
      missing.push_back(i);
      continue;
    }
    victims_.pin(at.slot());
    slots[i] = at.slot();
  }
  for (std::size_t m = 0; m < missing.size(); ++m) {
    const Index row = rows[missing[m]];
    const Index slot = where(row).is_resident() ? where(row).slot() : admit(exec, row);
    if (slot < 0) {
      transfer(exec);  // rows that were admitted before stay resident
      for (const Index pinned : slots)
        if (pinned >= 0) victims_.unpin(pinned);
      fail_full(missing.size() - m);
    }
    victims_.pin(slot);
    slots[missing[m]] = slot;
  }
  transfer(exec);
  return slots;
}

void CachedRows::fail_full(std::size_t missing) const {
  const std::size_t needed = held_.size() + missing;
  fail("table ", name_, ": the rows of the batches in flight do not fit into its cache of ", counted(slots(), "row"),
       "; they are up to ", needed, " rows, ", bytes_text(double(needed) * double(record_bytes_)),
       "; set a larger cache or a smaller batch (plan.tables.", name_, ".cache or plan.cache, train.batch_size)");
}

/// Makes a row resident, and requests its numbers. Returns the slot, or -1 if all are pinned.
Index CachedRows::admit(const Exec& exec, Index row) {
  prefetch(victims_.ahead(victims_ahead));
  const Index slot = victims_.victim();
  if (slot < 0) return slot;
  Held& held = held_[slot];
  if (held.row >= 0) {
    save(exec, slot);
    where(held.row) = Whereabouts::stored(held.place);
  }
  held = {.row = row, .place = where(row).place()};  // after save(), which may have moved the record
  where(row) = Whereabouts::in_slot(slot);
  load(slot);
  return slot;
}

void CachedRows::release(std::span<const Index> slots, bool moved) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (i + ahead < slots.size()) {
      victims_.prefetch(slots[i + ahead]);
      __builtin_prefetch(&held_[slots[i + ahead]], 1);
    }
    victims_.unpin(slots[i]);
    held_[slots[i]].moved |= moved;
  }
}

void CachedRows::write(const Exec& exec, std::size_t matrix, Range rows, const float* from) {
  const Index at_once = std::min(rows_at_once, slots());
  const embedding::CacheUse use = use_;
  std::vector<Index> list;
  for (Index begin = rows.begin; begin < rows.end; begin += at_once) {
    list.clear();
    for (Index row = begin; row < std::min(rows.end, begin + at_once); ++row) list.push_back(row);
    const std::vector<Index> slots = pin(exec, list);
    wait_pinned(slots);
    rounded_ += put(exec, matrix, slots, from);
    from += std::ssize(slots) * matrices()[matrix].columns();
    release(slots, true);
  }
  use_ = use;  // cache_use() counts the rows of batches
}

void CachedRows::initialize(const Exec& exec, const embedding::StartValues& start) {
  settle(exec);
  start_.set_weights(start);
  for (Held& held : held_) {
    if (held.row < 0) continue;
    where(held.row) = Whereabouts::stored(held.place);
    held = {};
  }
  for (Whereabouts& at : where_) {
    if (at.place() >= 0) drop(at.place());
    at = {};
  }
}

embedding::RowStore::Bytes CachedRows::bytes() const {
  Bytes all = RowStore::bytes();
  all.host += std::ssize(where_) * Index{sizeof(Whereabouts)} + slots() * Index{sizeof(Held)} + victims_.bytes();
  return all;
}

Index record_bytes(std::span<const RowMatrix> matrices) {
  Index bytes = 0;
  for (const RowMatrix& matrix : matrices) bytes += matrix.row_bytes();
  return bytes;
}

Index record_bytes(const TableShard& shard) {
  Index bytes = shard.dim() * bytes_of(shard.config.weight_format());
  for (const optim::StateInfo& state : optim::states(shard.optimizer.type))
    bytes += (state.per_row ? 1 : shard.dim()) * Index{sizeof(float)};
  return bytes;
}

CacheSlots cache_slots(const TableShard& shard, double cache, const std::map<std::string, double>& table_caches,
                       Index least_rows) {
  if (const auto given = table_caches.find(shard.config.name); given != table_caches.end()) cache = given->second;
  const double rows = double(shard.rows().size());
  const double of_table = double(shard.dim()) * rows / double(shard.config.weights());
  double slots = std::ceil(rows * cache);
  if (cache >= 1) slots = std::floor(cache * of_table / double(record_bytes(shard)));
  const double least = std::min(rows, double(least_rows));
  return {Index(std::min(slots, rows)), Index(std::clamp(slots, least, rows))};
}

}  // namespace tesserec::tiers
