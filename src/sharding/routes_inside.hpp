// SPDX-License-Identifier: Apache-2.0
// Tables that go by two levels.
#pragma once

#include <vector>

#include <tesserec/sharding/routes.hpp>

namespace tesserec::sharding {

/// Returns the shards that `rank` asks relays for: neighbouring columns on one node are one shard there, of this rank's
/// partner. `node`: ranks of a node.
std::vector<planning::Shard> on_relays(const std::vector<planning::Shard>& shards, int rank, int node);

/// Finds the second level of relays.shards: the tables of the owners on this node, and their routes.
void look_inside(Routes::Relays& relays, const Routes& routes, const planning::ShardingPlan& plan);

}  // namespace tesserec::sharding
