// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/planning/plan.hpp>

namespace tesserec::sharding {

/// The extra rounds of row-wise optimizers where a table's columns are cut: the owners of a row's columns send
/// each other their sums, and each adds them by the tree of column blocks. A round is one message to a rank.
class RowTotals {
 public:
  /// `shared[t]`: rows of table t move by sums over columns that several shards hold.
  RowTotals(const comm::Communicator& comm, const planning::ShardingPlan& plan, const std::vector<bool>& shared);

  /// `mine`: for each of this rank's shards of shared tables, in the plan's order, its sums over subtrees of columns
  /// [rows and sums, subtrees]; empty = none now. Returns each one's sums of whole rows [rows and sums]. Collective.
  std::vector<std::vector<float>> totals(std::span<const std::vector<float>> mine) const;

 private:
  /// A shard that holds some columns of a group's rows.
  struct Piece {
    int rank = 0;
    std::size_t own = 0;        // this rank's shards: place in `mine`
    std::vector<Index> leaves;  // of the tree of column blocks, one a sum
  };
  /// The shards of some rows, in column order.
  struct Group {
    std::vector<Piece> pieces;
    /// Floats of a touched row that `rank` sends.
    Index sums_of(int rank) const;
  };

  const comm::Communicator& comm_;
  std::vector<Group> groups_;  // those with a shard of this rank
  std::size_t own_ = 0;
};

}  // namespace tesserec::sharding
