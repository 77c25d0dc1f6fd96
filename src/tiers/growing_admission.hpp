// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "growing_ids.hpp"
#include "growing_mark.hpp"
#include "growing_start.hpp"

namespace tesserec::tiers {

/// Occurrence of an id without a row in a batch.
struct Miss {
  Index id = 0;
  Index position = 0;  // in the batch
};

/// Decisions about the ids of a growing shard: which ids are counted, get a row, and lose it. A row is a place of
/// rows().
class GrowingAdmission {
 public:
  GrowingAdmission(const Exec& exec, const embedding::TableShard& shard, const GrowthSettings& settings);

  const BlockIds& rows() const { return rows_; }
  /// Begins a training batch, whose rows stay for the next `kept_batches` - 1.
  void begin_batch(const Exec& exec);
  /// Writes the slots of ids with a row, and -1 for other ids. Returns the occurrences of other ids, by block, then id.
  /// `trains`: counts the uses of rows.
  std::span<const Miss> find(const Exec& exec, std::span<const Index> ids, bool trains, Index* slots);
  /// Decides about the ids that find() returned. Writes the slots of those that get a row. Returns whether all do.
  bool admit(const Exec& exec, Index* slots, const StartRows& start);

  /// Returns the slots with rows, by block, then id.
  const std::vector<Index>& order();
  Growth growth() const;
  GrowthState state();
  /// Replaces all ids, as GrowingRows::restore does.
  void restore(const GrowthState& state, const StartRows& start);
  void mark();
  /// Returns the changes since mark().
  GrowthChange changes() { return mark_->until(state()); }
  /// Makes the changes of another table since it had this state, as GrowingRows::apply does.
  std::vector<Index> apply(const GrowthChange& change, const StartRows& start);
  Index bytes() const {
    Index bytes = rows_.bytes();
    if (waiting_) bytes += waiting_->bytes();
    if (mark_) bytes += mark_->bytes();
    return bytes;
  }

 private:
  struct BlockGrowth {
    Index admitted = 0, refused = 0, evicted = 0;
  };

  Index find_rows(const Exec& exec, std::span<const Index> ids, bool trains, Index* slots);
  void sort_misses(const Exec& exec);
  Index admit_id(Index block, Index id, std::vector<Index>& aside);
  void leave(Index block, Index slot);
  void leave_unused(const Exec& exec);

  std::string name_;
  GrowthSettings settings_;
  BlockIds rows_;
  std::optional<BlockIds> waiting_;
  Index batch_ = 0;
  std::vector<BlockGrowth> counts_;           // [block]
  std::vector<Miss> found_missing_, misses_;  // as found, with room for more; sorted
  std::vector<Index> block_misses_;           // [block + 1] first miss of each block
  std::optional<GrowthMark> mark_{};
  std::vector<Index> order_;
  bool changed_ = true;  // order_ is out of date
};

}  // namespace tesserec::tiers
