// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::tiers {

/// Choice of the row that leaves a cache by the CLOCK algorithm: the next slot that no batch has pinned since the hand
/// passed it (Corbató, A Paging Experiment with the Multics System, 1968).
class Victims {
 public:
  explicit Victims(Index slots) : slots_(slots) {}

  void pin(Index slot) {
    ++slots_[slot].pins;
    slots_[slot].used = true;
  }
  void unpin(Index slot) { --slots_[slot].pins; }
  /// Prefetches what pin() and unpin() write. Inline always, because GCC drops the call of a function that only
  /// prefetches.
  [[gnu::always_inline]] void prefetch(Index slot) const { __builtin_prefetch(&slots_[slot], 1); }
  /// Returns an unpinned slot, or -1 if all are pinned. Slots that have never been pinned come first, in order.
  Index victim() {
    for (Index tries = 0; tries < 2 * std::ssize(slots_); ++tries) {
      const Index slot = hand_;
      hand_ = hand_ + 1 < std::ssize(slots_) ? hand_ + 1 : 0;
      if (slots_[slot].pins > 0) continue;
      if (!slots_[slot].used) return slot;
      slots_[slot].used = false;
    }
    return -1;
  }
  /// Returns the slot that victim() looks at after `tries` others.
  Index ahead(Index tries) const { return (hand_ + tries) % std::ssize(slots_); }
  Index bytes() const { return std::ssize(slots_) * Index{sizeof(PinnedSlot)}; }

 private:
  struct PinnedSlot {
    std::int32_t pins = 0;
    bool used = false;
  };
  std::vector<PinnedSlot> slots_;
  Index hand_ = 0;
};

}  // namespace tesserec::tiers
