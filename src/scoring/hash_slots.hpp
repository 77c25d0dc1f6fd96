// SPDX-License-Identifier: Apache-2.0
/// Slots of a hash table with open addressing, as files of a model folder have them. A slot has an entry's number in
/// its lower 32 bits, and above them the upper half of the entry's hash, so that an entry that is not there costs no
/// look at another one. Numbers begin at 1, because 0 is an empty slot.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include <tesserec/core/index.hpp>

namespace tesserec::scoring {

inline constexpr std::uint64_t slot_number_mask = 0xFFFFFFFF;

/// Returns the number of slots for some entries: a power of two, at least 3/2 slots for each entry, one of them empty.
inline Index slots_of(Index entries) { return Index(std::bit_ceil(std::uint64_t(entries) * 3 / 2 + 1)); }

/// Returns the number of the entry in a slot; 0 if the slot is empty.
inline Index slot_number(std::uint64_t slot) { return Index(slot & slot_number_mask); }

/// Adds an entry that the slots lack.
inline void insert_slot(std::span<std::uint64_t> slots, std::uint64_t hash, Index number) {
  std::uint64_t at = hash & (slots.size() - 1);
  while (slots[at] != 0) at = (at + 1) & (slots.size() - 1);
  slots[at] = (hash & ~slot_number_mask) | std::uint64_t(number);
}

/// Returns the position of the entry for which is_entry(number) returns true, or -1.
template <class IsEntry>
Index find_slot(std::span<const std::uint64_t> slots, std::uint64_t hash, const IsEntry& is_entry) {
  std::uint64_t at = hash & (slots.size() - 1);
  for (std::size_t looked = 0; looked < slots.size(); ++looked, at = (at + 1) & (slots.size() - 1)) {
    if (slots[at] == 0) return -1;
    if (((slots[at] ^ hash) & ~slot_number_mask) == 0 && is_entry(slot_number(slots[at]))) return Index(at);
  }
  return -1;
}

/// Removes the entry at a position. `hash_of(number)`: an entry's hash. Entries behind it move up, because searches end
/// at an empty slot.
template <class HashOf>
void erase_slot(std::span<std::uint64_t> slots, Index position, const HashOf& hash_of) {
  const std::uint64_t mask = slots.size() - 1;
  auto empty = std::uint64_t(position);
  for (std::uint64_t at = (empty + 1) & mask; slots[at] != 0; at = (at + 1) & mask) {
    const std::uint64_t home = hash_of(slot_number(slots[at])) & mask;
    if (((at - home) & mask) < ((at - empty) & mask)) continue;  // A search for it begins behind the empty slot.
    slots[empty] = slots[at];
    empty = at;
  }
  slots[empty] = 0;
}

}  // namespace tesserec::scoring
