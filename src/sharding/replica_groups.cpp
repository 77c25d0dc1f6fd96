// SPDX-License-Identifier: Apache-2.0
#include "replica_groups.hpp"

#include <numeric>

namespace tesserec::sharding {

ReplicaGroups::ReplicaGroups(const comm::Communicator& all, int groups) : all_(all), groups_(groups) {
  if (groups == 1) return;
  const int size = all.size() / groups;
  group_.emplace(all, all.rank() / size);
  if (size > 1) copies_.emplace(all, all.rank() % size);
}

const comm::Communicator* ReplicaGroups::copies() const {
  if (groups_ == 1) return nullptr;
  return copies_ ? &*copies_ : &all_;
}

BatchSplit ReplicaGroups::split(BatchSplit all) const {
  if (groups_ == 1) return all;
  const Index size = group().size(), first = replica().index * size;
  return all.of_ranks({first, first + size});
}

Levels ReplicaGroups::levels(Levels all) const { return {std::gcd(group().size(), all.ranks_per_node), all.max}; }

}  // namespace tesserec::sharding
