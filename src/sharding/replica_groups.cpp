// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <vector>

#include <tesserec/comm/transport.hpp>
#include <tesserec/sharding/replica_groups.hpp>

namespace tesserec::sharding {

std::string ExchangeRanks::first_error(int refused, const std::string& error) const {
  // Each rank tells its copies what its group has told it.
  const std::vector<int> of_groups = copies ? copies->all_gather(refused) : std::vector<int>{refused};
  const auto first = std::ranges::find_if(of_groups, [](int rank) { return rank >= 0; });
  if (first == of_groups.end()) return "";
  const int index = int(first - of_groups.begin());
  std::string text;
  if (!copies || copies->rank() == index) text = group.broadcast(error, *first);
  return copies ? copies->broadcast(text, index) : text;
}

ReplicaGroups::ReplicaGroups(const comm::Communicator& all, int groups) : all_(all), groups_(groups) {
  if (groups == 1) return;
  const int size = all.size() / groups;
  group_.emplace(all, all.rank() / size);
  if (size > 1) copies_.emplace(all, all.rank() % size);
}

void ReplicaGroups::check() const {
  all_.transport().check();
  for (const auto* part : {&group_, &copies_, &node_})
    if (*part) (*part)->transport().check();
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
