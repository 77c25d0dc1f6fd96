// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include <tesserec/tiers/growing_rows.hpp>

namespace tesserec::tiers {

/// Ids of a growing shard at some batch, from which later changes are found. A batch that uses an id raises its last
/// batch, so the uses tell what has changed, and the ids what has left.
class GrowthMark {
 public:
  /// Takes the training batches so far, and the ids with a row and those that wait, each by block, then id.
  GrowthMark(Index batch, std::vector<Index> rows, std::vector<Index> waiting)
      : batch_(batch), rows_(std::move(rows)), waiting_(std::move(waiting)) {}

  /// Returns the changes up to a later state of the shard.
  GrowthChange until(const GrowthState& now) const;
  Index bytes() const { return Index{sizeof(Index)} * (std::ssize(rows_) + std::ssize(waiting_)); }

 private:
  Index batch_;
  std::vector<Index> rows_, waiting_;
};

}  // namespace tesserec::tiers
