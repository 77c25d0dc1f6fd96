// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/planning/settings.hpp>

namespace tesserec::planning {

/// The machine that a plan is for: ranks of one kind, as many on each node. Rank r lies on node r / ranks_per_node.
struct Topology {
  std::string device = "cpu";
  int ranks = 1;
  int ranks_per_node = 1;
  int exchange_levels = 2;  ///< Settings::exchange_levels
  ExchangeBytes exchange;   ///< Settings::exchange
  Index memory = 0;         ///< bytes of a rank, of its GPU where it computes on one; 0 = without a limit
  std::string memory_from;  ///< what says so: this machine, a limit of the job; empty = plan.memory, a GPU
  double reserve = 0.15;    ///< share of it that is kept free
  Index taken = 0;          ///< bytes of it that a GPU's rank takes before any table (gpu_taken)
  MachineCosts costs;

  int nodes() const { return ranks / ranks_per_node; }
  int node(int rank) const { return rank / ranks_per_node; }
  bool two_levels() const { return exchange_levels > 1 && ranks_per_node > 1 && nodes() > 1; }
  /// Bytes of a rank for tables and messages.
  Index usable_memory() const;
  /// Returns the memory that leaves so much usable; and, for people, the text that names what lessens it.
  Index memory_for(double usable) const;
  std::string lessened() const;
};

/// Finds the machine of `comm`; plan.* overrules it. Collective. Error: plan.device asks for GPUs of a CPU build.
Topology topology_of(const comm::Communicator& comm, const Settings& settings);
/// The same where the ranks lie on these nodes (comm::nodes_of_ranks).
Topology topology_of(const comm::Communicator& comm, const Settings& settings, std::span<const int> nodes);

/// Describes a machine that is not here. `ranks_per_node` 0 = all on one node, or as many as it has GPUs. Memory:
/// plan.memory, the GPU's, or what this process may use. Error: ranks that do not divide into nodes.
Topology topology_for(int ranks, int ranks_per_node, const Settings& settings);

}  // namespace tesserec::planning
