// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "growing_store.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/memory.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::tiers {
namespace {

using embedding::RowMatrix;
using embedding::TableShard;

constexpr Index zero_slots = 1024;  // calls of pin() in flight

/// Allocates matrices of uninitialized slots, so that memory is used as rows appear.
std::vector<RowMatrix> growing_matrices(const Exec& exec, const TableShard& shard, Index slots) {
  std::vector<RowMatrix> result;
  for (const RowMatrix& matrix : embedding::row_matrices(exec, shard, 1)) {
    const Index columns = matrix.values.columns();
    const auto label = [&] {
      return concat("table ", shard.config.name, ", its ", matrix.name, " of ", slots, " x ", columns);
    };
    with_memory(label, double(slots) * double(columns) * sizeof(float), [&] {
      result.push_back(
          {matrix.name,
           matrix.per_row,
           NumberType::fp32,
           PlacedMatrix<float>(exec, Place::host, "tesserec::tiers::" + matrix.name + " " + shard.config.name, slots,
                               columns),
           {}});
    });
  }
  return result;
}

std::vector<float> state_starts(const Exec& exec, const TableShard& shard) {
  std::vector<float> result;
  for (const RowMatrix& matrix : embedding::row_matrices(exec, shard, 1)) result.push_back(matrix.values.data()[0]);
  result.erase(result.begin());  // weights
  return result;
}

Index row_slots(const TableShard& shard) {
  const Index capacity = shard.config.rows().size();
  return share_begin(capacity, shard.blocks.end) - share_begin(capacity, shard.blocks.begin);
}

Index other_slots(const GrowthSettings& settings) {
  return settings.unknown == UnknownRow::zeros ? zero_slots : settings.unknown_slots;
}

}  // namespace

GrowingTable::GrowingTable(const Exec& exec, const TableShard& shard, const GrowthSettings& settings)
    : GrowingRows(shard, growing_matrices(exec, shard, row_slots(shard) + other_slots(settings))),
      name_(shard.config.name),
      zeros_(settings.unknown == UnknownRow::zeros),
      start_(shard.columns, state_starts(exec, shard)),
      admission_(exec, shard, settings),
      unknown_(other_slots(settings)),
      kept_batches_(settings.kept_batches),
      trained_(settings.kept_batches - 1) {}

std::vector<Index> GrowingTable::pin(const Exec& exec, std::span<const Index> ids) {
  found_ = (pinned_ == 0 ? 0 : found_) + std::ssize(ids);
  return pin_all(exec, ids, false);
}

std::vector<Index> GrowingTable::pin_to_train(const Exec& exec, std::span<const Index> ids) {
  check_in_flight();
  for (std::size_t i = trained_.size(); i > 1; --i) trained_[i - 1] = trained_[i - 2];
  if (!trained_.empty()) trained_[0] = std::ssize(ids);
  admission_.begin_batch(exec);
  return pin_all(exec, ids, true);
}

/// Throws Error if a batch is in flight whose rows may leave now. Rows have no counts of their pins, which would cost
/// as much as finding them.
void GrowingTable::check_in_flight() const {
  Index allowed = pinned_ == 0 ? 0 : found_;
  for (const Index slots : trained_) allowed += slots;
  if (pinned_ > allowed)
    fail("table ", name_, ": more than ", kept_batches_, " training batches are in flight; set a larger kept_batches");
}

std::vector<Index> GrowingTable::pin_all(const Exec& exec, std::span<const Index> ids, bool trains) {
  std::vector<Index> slots(ids.size());
  const std::span<const Miss> misses = admission_.find(exec, ids, trains, slots.data());
  const bool all = misses.empty() || (trains && admission_.admit(exec, slots.data(), starts()));
  if (!all) give_unknown_slots(misses, slots);
  pinned_ += std::ssize(slots);
  return slots;
}

/// Gives the ids that have no row yet slots of this batch: one for each, or one with zeros for all.
void GrowingTable::give_unknown_slots(std::span<const Miss> misses, std::vector<Index>& slots) {
  const Index begin = rows().places().size();
  Index unknown = -1;
  std::vector<NewRow> started;
  for (const Miss& miss : misses) {
    if (slots[miss.position] >= 0) continue;
    if (unknown < 0 || (!zeros_ && unknown_.id(unknown) != miss.id)) {
      unknown = unknown_.take(miss.id);
      if (unknown < 0) {
        for (const Index slot : slots)
          if (slot >= begin) unknown_.release(slot - begin);
        fail("table ", name_, ": the batches in flight have more than ", counted(unknown_.size(), "id"),
             " without a row, which read start values; use smaller batches, or let unknown ids read zeros (table.",
             name_, ".unknown)");
      }
      if (zeros_) {
        start_.write_zeros(*this, begin + unknown);
      } else {
        starts().prefetch(begin + unknown, started.size());
        started.push_back({begin + unknown, miss.id});
      }
    }
    unknown_.pin(unknown);
    slots[miss.position] = begin + unknown;
  }
  start_.write(*this, started);
}

void GrowingTable::release(std::span<const Index> slots, bool) {
  pinned_ -= std::ssize(slots);
  for (const Index slot : slots)
    if (!has_row(slot)) unknown_.release(slot - rows().places().size());
}

void GrowingTable::check_held(Range rows) const {
  const Index held = std::ssize(admission_.order());
  if (rows.begin < 0 || rows.end > held)
    fail("table ", name_, " grows and holds ", counted(held, "row"), ", so there are no rows ", rows.begin, " to ",
         rows.end, "; state() has its ids");
}

void GrowingTable::read(const Exec& exec, std::size_t matrix, Range rows, float* to) const {
  const Index n = matrices()[matrix].values.columns();
  const float* const from = matrices()[matrix].values.data();
  exec.fence();
  check_held(rows);
  for (Index row = rows.begin; row < rows.end; ++row, to += n) std::copy_n(from + admission_.order()[row] * n, n, to);
}

void GrowingTable::write(const Exec& exec, std::size_t matrix, Range rows, const float* from) {
  const Index n = matrices()[matrix].values.columns();
  float* const to = matrices()[matrix].values.data();
  exec.fence();
  check_held(rows);
  for (Index row = rows.begin; row < rows.end; ++row, from += n) std::copy_n(from, n, to + admission_.order()[row] * n);
}

void GrowingTable::initialize(const Exec& exec, const embedding::StartValues& start) {
  exec.fence();
  start_.set_weights(start);
  admission_.restore({}, starts());
}

embedding::RowStore::Bytes GrowingTable::bytes() const {
  Bytes all = RowStore::bytes();
  all.host += admission_.bytes();
  return all;
}

embedding::MakeRowStore growing_rows(const GrowthSettings& settings) {
  return [=](const Exec& exec, const TableShard& shard) -> std::unique_ptr<embedding::RowStore> {
    const std::string& name = shard.config.name;
    if (shard.config.block_by != embedding::BlockBy::hash)
      fail("table ", name, ": rows that appear while training need blocks by hash; set block_by to hash");
    if (shard.place != Place::host)
      fail("table ", name,
           ": rows that appear while training lie in host memory, where kernels of a device cannot "
           "read them");
    if (shard.config.weight_format() != NumberType::fp32)
      fail("table ", name, " has format \"", tesserec::name(shard.config.weight_format()),
           "\"; rows that appear while training have format \"fp32\"");
    if (settings.admit_after < 1) fail("table ", name, ": admit_after is ", settings.admit_after, "; set at least 1");
    if (settings.kept_batches < 1)
      fail("table ", name, ": kept_batches is ", settings.kept_batches, "; set at least 1");
    const Index least_ttl = std::max<Index>(1, settings.kept_batches - 1);
    if (settings.eviction == Eviction::ttl && settings.ttl < least_ttl)
      fail("table ", name, ": ttl is ", settings.ttl, "; set at least ", least_ttl,
           ", because batches in flight use their rows");
    if (row_slots(shard) + other_slots(settings) > std::numeric_limits<std::uint32_t>::max())
      fail("table ", name, ": a shard of ", row_slots(shard), " rows is too large; use more ranks");
    return std::make_unique<GrowingTable>(exec, shard, settings);
  };
}

}  // namespace tesserec::tiers
