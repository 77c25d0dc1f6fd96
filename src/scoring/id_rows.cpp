// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "hash_slots.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/embedding/block_of.hpp>
#include <tesserec/scoring/id_rows.hpp>

namespace tesserec::scoring {
namespace {

using embedding::BlockOf;

constexpr Index slots_ahead = 16;  // ids whose slots are fetched; those of half as many have come, and their rows' ids
                                   // are fetched

/// Throws Error if a slot cannot number the rows.
void check_rows(Index rows) {
  if (rows >= Index(slot_number_mask)) fail("there are ", rows, " ids, but a hash table holds up to 2^32 - 2");
}

}  // namespace

Index id_rows_bytes(Index rows) { return Index{sizeof(std::uint64_t)} * (slots_of(rows) + rows); }

std::vector<std::uint64_t> id_row_slots(std::span<const Index> ids) {
  check_rows(std::ssize(ids));
  std::vector<std::uint64_t> slots(std::size_t(slots_of(std::ssize(ids))), 0);
  for (Index row = 0; row < std::ssize(ids); ++row) {
    const std::uint64_t hash = BlockOf::mixed(ids[row]);
    if (find_slot(slots, hash, [&](Index number) { return ids[number - 1] == ids[row]; }) >= 0)
      fail("id ", ids[row], " has two rows");
    insert_slot(slots, hash, row + 1);
  }
  return slots;
}

IdRows::IdRows(const std::string& path, Index rows) : path_(path), rows_(rows) {
  check_rows(rows);
  file_.emplace(path, id_rows_bytes(rows));
  const auto* const words = reinterpret_cast<const std::uint64_t*>(file_->data());
  slots_ = {words, std::size_t(slots_of(rows))};
  id_of_ = reinterpret_cast<const Index*>(words + slots_.size());
}

IdRows::IdRows(Index capacity) : rows_(std::min(capacity, Index(slot_number_mask) - 1)) { clear(0); }

void IdRows::look() {
  slots_ = owned_;
  id_of_ = ids_.data();
}

void IdRows::widen(Index slots) {
  std::vector<std::uint64_t> wider(std::size_t(slots), 0);
  for (const std::uint64_t slot : owned_)
    if (slot != 0) insert_slot(wider, BlockOf::mixed(ids_[slot_number(slot) - 1]), slot_number(slot));
  owned_ = std::move(wider);
}

void IdRows::find(std::span<const Index> ids, Index* rows) const {
  const std::uint64_t mask = slots_.size() - 1;
  const auto size = std::ssize(ids);
  for (Index i = 0; i < size; ++i) {
    if (i + slots_ahead < size) __builtin_prefetch(&slots_[BlockOf::mixed(ids[i + slots_ahead]) & mask]);
    if (const Index next = i + slots_ahead / 2; next < size)
      __builtin_prefetch(id_of_ + slot_number(slots_[BlockOf::mixed(ids[next]) & mask]) - 1);
    const auto is_id = [&](Index number) {
      if (number > rows_)
        fail(path_, " is damaged: a slot has row ", number - 1, " of ", rows_, "; export the model again");
      return id_of_[number - 1] == ids[i];
    };
    const Index at = find_slot(slots_, BlockOf::mixed(ids[i]), is_id);
    rows[i] = at < 0 ? none : slot_number(slots_[std::size_t(at)]) - 1;
  }
}

Index IdRows::insert(Index id) {
  Index row = none;
  find({&id, 1}, &row);
  if (row != none) return row;
  if (size() == rows_) fail("there are more than ", rows_, " ids");
  if (slots_of(size() + 1) > std::ssize(owned_)) widen(2 * std::ssize(owned_));
  if (free_.empty()) {
    row = std::ssize(ids_);
    ids_.push_back(id);
  } else {
    row = free_.back();
    free_.pop_back();
    ids_[row] = id;
  }
  insert_slot(owned_, BlockOf::mixed(id), row + 1);
  look();
  return row;
}

bool IdRows::erase(Index id) {
  const Index at = find_slot(slots_, BlockOf::mixed(id), [&](Index number) { return ids_[number - 1] == id; });
  if (at < 0) return false;
  free_.push_back(slot_number(owned_[std::size_t(at)]) - 1);
  erase_slot(owned_, at, [&](Index number) { return BlockOf::mixed(ids_[number - 1]); });
  return true;
}

void IdRows::clear(Index room) {
  owned_.assign(std::size_t(slots_of(room)), 0);
  ids_.clear();
  ids_.reserve(std::size_t(room));
  free_.clear();
  look();
}

void IdRows::copy(const IdRows& other) {
  owned_ = other.owned_;
  ids_ = other.ids_;
  free_ = other.free_;
  look();
}

}  // namespace tesserec::scoring
