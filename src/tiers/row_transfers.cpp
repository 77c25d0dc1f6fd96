// SPDX-License-Identifier: Apache-2.0
#include "row_transfers.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace tesserec::tiers {
namespace {

/// Copies rows between slots and records. Lanes share a row.
template <bool to_slots>
struct CopyRows {
  RecordPart parts[max_parts];
  int first, last;  // of the parts
  const Index* slots;
  std::byte* records;
  Index record_bytes;
  Index* rows_of_slots;  // null = it stays as it is
  const Index* rows;

  template <class Number>
  TESSEREC_FUNCTION void copy(const LaneGroup& lanes, const RecordPart& part, Index slot, std::byte* record) const {
    Number* const at_slot = static_cast<Number*>(part.values) + slot * part.numbers;
    Number* const in_record = reinterpret_cast<Number*>(record + part.offset);
    for (Index n = lanes.lane; n < part.numbers; n += lanes.width) {
      if constexpr (to_slots)
        at_slot[n] = in_record[n];
      else
        in_record[n] = at_slot[n];
    }
  }
  TESSEREC_FUNCTION void operator()(const LaneGroup& lanes, Index item) const {
    const Index slot = slots[item];
    std::byte* const record = records + item * record_bytes;
    for (int p = first; p < last; ++p) {
      if (parts[p].is_short)
        copy<std::uint16_t>(lanes, parts[p], slot, record);
      else
        copy<float>(lanes, parts[p], slot, record);
    }
    if (rows_of_slots != nullptr && lanes.lane == 0) rows_of_slots[slot] = rows[item];
  }
};

template <bool to_slots>
CopyRows<to_slots> copy_rows(std::span<const RecordPart> parts, const Index* slots, std::byte* records, Index bytes) {
  CopyRows<to_slots> kernel{{}, 0, int(parts.size()), slots, records, bytes, nullptr, nullptr};
  std::copy(parts.begin(), parts.end(), kernel.parts);
  return kernel;
}

constexpr Index round_up(Index bytes) { return (bytes + 3) / 4 * 4; }

}  // namespace

RowTransfers::RowTransfers(std::span<const embedding::RowMatrix> matrices, Index* rows_of_slots)
    : rows_of_slots_(rows_of_slots) {
  assert(std::ssize(matrices) <= max_parts);
  for (const embedding::RowMatrix& matrix : matrices) {
    parts_.push_back({matrix.row(0), record_bytes_, matrix.columns(), matrix.is_short()});
    record_bytes_ += round_up(matrix.row_bytes());
  }
}

std::byte* RowTransfers::stage(const Device& device, Index count) {
  const Index lists = 2 * count * Index{sizeof(Index)};
  staged_ = sent_.reserve(device, "tesserec::tiers::entering", lists + count * record_bytes_);
  return staged_ + lists;
}

void RowTransfers::send(const Device& device, std::span<const Index> slots, std::span<const Index> rows) {
  scatter(device, slots, rows, 0, int(parts_.size()));
}

void RowTransfers::send(const Device& device, std::span<const Index> slots, std::size_t matrix) {
  scatter(device, slots, {}, int(matrix), int(matrix) + 1);
}

void RowTransfers::scatter(const Device& device, std::span<const Index> slots, std::span<const Index> rows, int first,
                           int last) {
  const Index count = std::ssize(slots);
  if (count == 0) return;
  std::ranges::copy(std::as_bytes(slots), staged_);
  std::ranges::copy(std::as_bytes(rows), staged_ + slots.size_bytes());
  const std::byte* const sent = sent_.send(device, count * (2 * Index{sizeof(Index)} + record_bytes_));
  const auto* const lists = reinterpret_cast<const Index*>(sent);
  // The kernel only reads the records.
  auto* const records = const_cast<std::byte*>(sent) + 2 * slots.size_bytes();
  CopyRows<true> kernel = copy_rows<true>(parts_, lists, records, record_bytes_);
  kernel.first = first;
  kernel.last = last;
  if (!rows.empty()) {
    kernel.rows_of_slots = rows_of_slots_;
    kernel.rows = lists + count;
  }
  launch(device, "tesserec::tiers::fill_slots", count, parts_.front().numbers, kernel);
}

void RowTransfers::fetch(const Device& device, std::span<const Index> slots) {
  const Index count = std::ssize(slots), bytes = count * record_bytes_;
  std::ranges::copy(slots, sent_slots_.reserve(device, "tesserec::tiers::leaving_slots", count));
  const Index* const sent = sent_slots_.send(device, count);
  std::byte* const from = reserve_device(device, leaving_, "tesserec::tiers::leaving", bytes);
  std::byte* const to = reserve_pinned(device, arrived_, "tesserec::tiers::arrived", bytes);
  launch(device, "tesserec::tiers::read_slots", count, parts_.front().numbers,
         copy_rows<false>(parts_, sent, from, record_bytes_));
  copy_to_host(device, std::as_const(from), to, bytes);
  returned_.set(device);
}

const std::byte* RowTransfers::fetched() const {
  returned_.wait();
  return arrived_.data();
}

Index RowTransfers::device_bytes() const { return Index(leaving_.extent(0) + 2 * sent_.view().extent(0)); }
Index RowTransfers::host_bytes() const { return Index(arrived_.extent(0) + 2 * sent_.view().extent(0)); }

}  // namespace tesserec::tiers
