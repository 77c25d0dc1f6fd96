// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/planning/plan.hpp>

namespace tesserec::sharding {

/// Extra rounds of row-wise optimizers for tables whose columns are cut. The owners of a row's columns exchange their
/// sums, and each of them adds the sums by the tree of column blocks. A round sends one message between each pair of
/// ranks.
class RowTotals {
 public:
  /// Finds the shards that share rows. `shared[t]`: whether the rows of table t are updated by sums over columns of
  /// several shards.
  RowTotals(const comm::Communicator& comm, const planning::ShardingPlan& plan, const std::vector<bool>& shared);

  /// Exchanges the sums of one round, and returns the whole rows' sums [rows and sums] of each of this rank's shards of
  /// shared tables. `own_sums` has these shards' sums over subtrees of columns [rows and sums, subtrees], in the plan's
  /// order. Empty sums = no touched row, or no such round. Collective.
  std::vector<std::vector<float>> totals(std::span<const std::vector<float>> own_sums) const;

 private:
  /// A shard that holds some columns of a group's rows.
  struct Piece {
    int rank = 0;
    std::size_t own = 0;        // index in `own_sums`, if the shard is this rank's
    std::vector<Index> leaves;  // [sum] leaf in the tree of column blocks
  };
  /// The shards of some rows, in column order.
  struct Group {
    std::vector<Piece> pieces;
    /// Returns the floats per touched row that `rank` sends.
    Index sums_of(int rank) const;
  };

  const comm::Communicator& comm_;
  std::vector<Group> groups_;  // groups with a shard of this rank
  std::size_t own_ = 0;
};

}  // namespace tesserec::sharding
