// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include <unistd.h>

#include <tesserec/comm/node.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/planning/topology.hpp>

namespace tesserec::planning {
namespace {

/// Bytes of this machine, or what a container leaves of them.
Index machine_memory() {
  Index bytes = Index(sysconf(_SC_PHYS_PAGES)) * Index(sysconf(_SC_PAGE_SIZE));
  for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    Index limit = 0;
    if (std::ifstream(path) >> limit && limit > 0) bytes = std::min(bytes, limit);
  }
  return bytes;
}

}  // namespace

Index Topology::usable_memory() const {
  if (memory == 0) return std::numeric_limits<Index>::max();
  return Index(std::floor(double(memory) * (1.0 - reserve)));
}

Topology topology_for(int ranks, int ranks_per_node, const Settings& settings) {
  Topology topology;
  topology.ranks = ranks;
  topology.ranks_per_node = ranks_per_node > 0 ? ranks_per_node : ranks;
  if (topology.ranks_per_node > ranks || ranks % topology.ranks_per_node != 0)
    fail("plan.ranks_per_node = ", topology.ranks_per_node, ": ", ranks, ranks == 1 ? " rank does" : " ranks do",
         " not divide into nodes of that many");
  topology.memory = settings.memory > 0 ? settings.memory : machine_memory() / topology.ranks_per_node;
  topology.exchange_levels = settings.exchange_levels;
  topology.reserve = settings.reserve;
  topology.costs = settings.costs;
  return topology;
}

Topology topology_of(const comm::Communicator& comm, const Settings& settings) {
  return topology_of(comm, settings, comm::nodes_of_ranks(comm));
}

Topology topology_of(const comm::Communicator& comm, const Settings& settings, std::span<const int> nodes) {
  const int inside = settings.ranks_per_node > 0 ? settings.ranks_per_node : comm::ranks_per_node(nodes);
  Topology topology = topology_for(comm.size(), inside, settings);
  // The least of all ranks; simulated nodes share one machine.
  const Index sharing = std::count(nodes.begin(), nodes.end(), nodes[comm.rank()]);
  if (settings.memory == 0) topology.memory = comm.min(machine_memory() / sharing);
  return topology;
}

}  // namespace tesserec::planning
