// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/lanes.hpp>
#include <tesserec/sharding/replica.hpp>
#include <tesserec/sharding/routes.hpp>

namespace tesserec::sharding {

/// Ranks of an exchange.
struct ExchangeRanks {
  ExchangeRanks(const comm::Communicator& group, const comm::Communicator* copies = nullptr)
      : group(group), copies(copies) {}
  /// Returns the rank among those of all groups.
  int rank() const { return (copies ? copies->rank() * group.size() : 0) + group.rank(); }
  /// Returns the error of the first rank that has one, on every rank of all groups; empty = none. `refused`: the rank
  /// of the group that has an error, or -1. `error`: this rank's. Collective.
  std::string first_error(int refused, const std::string& error) const;

  const comm::Communicator& group;         ///< ranks that exchange: those of a replica group, or of a node
  const comm::Communicator* const copies;  ///< ranks with this rank's place in all groups; null if there is one group
};

/// Replica groups of a collection: runs of equally many consecutive ranks. Each group has all shards, at the same
/// places in the group.
class ReplicaGroups {
 public:
  /// Takes all ranks, which must divide into `groups`. Collective.
  ReplicaGroups(const comm::Communicator& all, int groups);

  const comm::Communicator& all() const { return all_; }
  /// Returns the ranks of this rank's group.
  const comm::Communicator& group() const { return group_ ? *group_ : all_; }
  /// Returns the ranks with this rank's place, in the order of the groups; null if there is one group.
  const comm::Communicator* copies() const;
  /// Makes the communicator of the ranks of this rank's group on one node, for exchange by two levels. `node`: the node
  /// of this rank. Collective.
  void make_node(int node) { node_.emplace(group(), node); }
  /// Returns the ranks of this rank's group on its node; null without make_node.
  const comm::Communicator* node() const { return node_ ? &*node_ : nullptr; }
  /// Throws Error if a message of all ranks, of this group or of its node has failed. The device must have finished
  /// with it.
  void check() const;
  /// Returns this rank's group among all, the replica of each of its sharded tables.
  Replica replica() const { return {all_.rank() / group().size(), groups_}; }

  /// Returns the split of a batch among the ranks of the group.
  BatchSplit split(BatchSplit all) const;
  /// Returns the levels inside a group. Where groups cut nodes, the largest equal parts of these count as nodes.
  Levels levels(Levels all) const;

 private:
  const comm::Communicator& all_;
  int groups_;
  std::optional<comm::Communicator> group_, copies_, node_;  // unset if equal to all_, or without use
};

}  // namespace tesserec::sharding
