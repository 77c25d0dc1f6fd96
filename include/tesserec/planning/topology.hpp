// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/planning/settings.hpp>

namespace tesserec::planning {

/// Machine that a plan is for: ranks of one kind, equally many on each node. Rank r lies on node r / ranks_per_node.
struct Topology {
  std::string device = "cpu";
  int ranks = 1;
  int ranks_per_node = 1;
  int replicas = 1;         ///< replica groups of a plan, runs of equally many consecutive ranks
  int exchange_levels = 2;  ///< Settings::exchange_levels
  ExchangeBytes exchange;   ///< Settings::exchange
  Index memory = 0;         ///< bytes per rank, or per GPU if ranks compute on GPUs; 0 = no limit
  std::string memory_from;  ///< source of `memory`: this machine, a limit of the job; empty = plan.memory, a GPU
  Index host_memory = 0;    ///< bytes of host memory per rank if ranks compute on GPUs; 0 = unknown
  double reserve = 0.15;    ///< fraction of `memory` and `host_memory` that is kept free
  Index taken = 0;          ///< bytes of `memory` that a GPU's rank takes before any table (gpu_taken)
  MachineCosts costs;

  int nodes() const { return ranks / ranks_per_node; }
  int node(int rank) const { return rank / ranks_per_node; }
  /// Returns this machine with its ranks in replica groups. Throws Error if the ranks do not divide into them.
  Topology in_groups(int replicas) const;
  /// Returns one replica group as a machine of its own. If groups cut nodes, their largest equal parts count as nodes.
  Topology group() const;
  /// Returns the ranks with the same place in all replica groups as a machine of their own.
  Topology copies() const;
  bool two_levels() const { return exchange_levels > 1 && ranks_per_node > 1 && nodes() > 1; }
  /// Returns the bytes of a rank for tables and messages.
  Index usable_memory() const;
  /// Returns the `memory` that leaves `usable` bytes. lessened() returns text for messages that names what reduces it.
  Index memory_for(double usable) const;
  std::string reductions_text() const;
};

/// Machine with its replica groups.
struct GroupedTopology {
  explicit GroupedTopology(const Topology& all) : all(all), group(all.group()), copies(all.copies()) {}

  Topology all, group, copies;  ///< all ranks, those of one group, those with the same place in all groups
};

/// Finds the machine of `comm`, which settings of [plan] override. The memory is the least of all ranks. Collective.
/// Throws Error if plan.device or plan.machine wants GPUs of a CPU build, or as topology_for does.
Topology topology_of(const comm::Communicator& comm, const Settings& settings);
/// Finds the machine if the ranks lie on these nodes (comm::nodes_of_ranks). Collective.
Topology topology_of(const comm::Communicator& comm, const Settings& settings, std::span<const int> nodes);

/// Describes a machine of `ranks` ranks without looking at the job. If `ranks_per_node` is 0, a node has all ranks, or
/// one per GPU. The memory is plan.memory, else the GPU's, else what this process may use. Throws Error if the ranks do
/// not divide into nodes, or if no byte is left for tables.
Topology topology_for(int ranks, int ranks_per_node, const Settings& settings);

}  // namespace tesserec::planning
