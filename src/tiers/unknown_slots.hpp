// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::tiers {

/// Slots for ids without a row. A slot belongs to one call of pin(), and is free again once its last pin is released,
/// so an update that a kernel writes to it reaches no other batch.
class UnknownSlots {
 public:
  explicit UnknownSlots(Index slots) : slots_(slots) {
    for (Index slot = slots - 1; slot >= 0; --slot) free_.push_back(slot);
  }

  /// Returns a free slot for an id, or -1 if all are pinned.
  Index take(Index id) {
    if (free_.empty()) return -1;
    const Index slot = free_.back();
    free_.pop_back();
    slots_[slot] = {id, 0};
    return slot;
  }
  void pin(Index slot) { ++slots_[slot].pins; }
  void release(Index slot) {
    if (--slots_[slot].pins == 0) free_.push_back(slot);
  }
  Index id(Index slot) const { return slots_[slot].id; }
  Index size() const { return std::ssize(slots_); }

 private:
  struct UnknownSlot {
    Index id = 0, pins = 0;
  };
  std::vector<UnknownSlot> slots_;
  std::vector<Index> free_;
};

}  // namespace tesserec::tiers
