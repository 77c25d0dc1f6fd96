// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/core/index.hpp>

namespace tesserec::tiers {

/// Whereabouts of a row: a slot, a place in the backing store, or nowhere.
class Whereabouts {
 public:
  static Whereabouts in_slot(Index slot) { return Whereabouts(slot); }
  static Whereabouts stored(Index place) { return Whereabouts(place < 0 ? nowhere : -2 - place); }
  Whereabouts() = default;

  bool is_resident() const { return code_ >= 0; }
  Index slot() const { return code_; }
  /// Returns the place in the backing store, or -1 if the row has its start values.
  Index place() const { return code_ == nowhere ? -1 : -2 - code_; }

 private:
  static constexpr Index nowhere = -1;
  explicit Whereabouts(Index code) : code_(code) {}
  Index code_ = nowhere;
};

}  // namespace tesserec::tiers
