// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/lanes.hpp>
#include <tesserec/sharding/replica.hpp>
#include <tesserec/sharding/routes.hpp>

namespace tesserec::sharding {

/// Replica groups of a collection: runs of equally many consecutive ranks. Each group has all shards, at the same
/// places in the group.
class ReplicaGroups {
 public:
  /// Takes all ranks, which must divide into `groups`. Collective.
  ReplicaGroups(const comm::Communicator& all, int groups);

  /// Returns the ranks of this rank's group.
  const comm::Communicator& group() const { return group_ ? *group_ : all_; }
  /// Returns the ranks with this rank's place, in the order of the groups; null if there is one group.
  const comm::Communicator* copies() const;
  /// Returns this rank's group among all, the replica of each of its sharded tables.
  Replica replica() const { return {all_.rank() / group().size(), groups_}; }

  /// Returns the split of a batch among the ranks of the group.
  BatchSplit split(BatchSplit all) const;
  /// Returns the levels inside a group. Where groups cut nodes, the largest equal parts of these count as nodes.
  Levels levels(Levels all) const;

 private:
  const comm::Communicator& all_;
  int groups_;
  std::optional<comm::Communicator> group_, copies_;  // unset if equal to all_, or without use
};

}  // namespace tesserec::sharding
