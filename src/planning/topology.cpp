// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <tesserec/comm/node.hpp>
#include <tesserec/core/device.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/gpu.hpp>
#include <tesserec/core/memory_limits.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/planning/topology.hpp>

namespace tesserec::planning {
namespace {

/// Returns a rank's share of this machine's memory, which `sharing` ranks share.
MemoryLimit rank_memory(Index sharing) {
  const MemoryLimit process = process_memory();
  MemoryLimit node = node_memory();
  node.bytes /= sharing;
  if (process.bytes < node.bytes) return process;
  if (sharing > 1) node.from += concat(", shared by ", sharing, " ranks");
  return node;
}

/// Returns the GPU of the plan, or nullptr if the plan is for CPUs.
const GpuMachine* gpu_of(const Settings& settings) {
  if (plan_device(settings) != "cuda") return nullptr;
  const GpuMachine* named = gpu_machine(settings.machine);
  return named ? named : &gpu_machines().front();
}

}  // namespace

std::string plan_device(const Settings& settings) {
  if (!settings.device.empty()) return settings.device;
  return built_for_gpus() || gpu_machine(settings.machine) ? "cuda" : "cpu";
}

Topology Topology::in_groups(int replicas) const {
  if (replicas < 1 || ranks % replicas != 0)
    fail("plan.replicas = ", replicas, ": ", ranks, ranks == 1 ? " rank does" : " ranks do",
         " not divide into that many groups; set a divisor of ", ranks);
  Topology machine = *this;
  machine.replicas = replicas;
  return machine;
}

Topology Topology::group() const {
  Topology machine = in_groups(1);
  machine.ranks /= replicas;
  machine.ranks_per_node = std::gcd(machine.ranks, ranks_per_node);
  return machine;
}

Topology Topology::copies() const {
  const int size = ranks / replicas;
  Topology machine = in_groups(1);
  machine.ranks = replicas;
  machine.ranks_per_node = ranks_per_node % size == 0 ? ranks_per_node / size : 1;
  return machine;
}

Index Topology::usable_memory() const {
  if (memory == 0) return std::numeric_limits<Index>::max();
  return std::max<Index>(0, Index(std::floor(double(memory) * (1.0 - reserve))) - taken);
}

Index Topology::memory_for(double usable) const { return Index(std::ceil((usable + double(taken)) / (1 - reserve))); }

std::string Topology::reductions_text() const {
  const std::string from = memory_from.empty() ? "" : ", from " + memory_from;
  const std::string others = taken > 0 ? concat(" and ", taken, " bytes for CUDA, cuBLASLt and NCCL") : "";
  return concat(from, ", less plan.reserve", others);
}

Topology topology_for(int ranks, int ranks_per_node, const Settings& settings) {
  Topology topology;
  topology.ranks = ranks;
  const GpuMachine* gpu = gpu_of(settings);
  if (gpu) {
    topology.device = "cuda";
    topology.taken = gpu_taken(ranks).total();
  }
  const int usual = gpu ? std::min(ranks, gpu->ranks_per_node) : ranks;
  topology.ranks_per_node = ranks_per_node > 0 ? ranks_per_node : usual;
  if (topology.ranks_per_node > ranks || ranks % topology.ranks_per_node != 0)
    fail("plan.ranks_per_node = ", topology.ranks_per_node, ": ", ranks, ranks == 1 ? " rank does" : " ranks do",
         " not divide into nodes of that many; set a divisor of ", ranks);
  topology.memory = settings.memory;
  if (settings.memory == 0 && gpu) topology.memory = gpu->memory;
  if (settings.memory == 0 && !gpu) {
    const MemoryLimit own = rank_memory(topology.ranks_per_node);
    topology.memory = own.bytes;
    topology.memory_from = own.from;
  }
  topology.exchange_levels = settings.exchange_levels;
  topology.exchange = settings.exchange;
  topology.reserve = settings.reserve;
  topology.costs = settings.costs;
  if (topology.usable_memory() == 0)
    fail("plan.memory = ", topology.memory, " bytes", topology.reductions_text(),
         ", leaves no byte to tables; set plan.memory = ", topology.memory_for(1),
         " or more, or use fewer ranks per node");
  return topology;
}

Topology topology_of(const comm::Communicator& comm, const Settings& settings) {
  return topology_of(comm, settings, comm::nodes_of_ranks(comm));
}

Topology topology_of(const comm::Communicator& comm, const Settings& settings, std::span<const int> nodes) {
  const bool gpus = plan_device(settings) == "cuda";
  if (gpus && !built_for_gpus() && device_is_host)
    fail(settings.device.empty() ? "plan.machine = \"" + settings.machine + "\" has GPUs" : "plan.device is \"cuda\"",
         ", but this program is built for CPUs; remove that key, or plan for another machine: "
         "tesserec plan --device cuda --ranks ",
         comm.size());
  const int inside = settings.ranks_per_node > 0 ? settings.ranks_per_node : comm::ranks_per_node(nodes);
  Topology topology = topology_for(comm.size(), inside, settings);
  // The context is excluded, because it exists already and the measured free memory does not contain it.
  if (gpus) topology.taken -= gpu_taken(comm.size()).context;
  if (!gpus && settings.memory > 0) return topology;
  // The memory is the least of all ranks. Ranks of simulated nodes share one machine.
  const MemoryLimit own = rank_memory(std::count(nodes.begin(), nodes.end(), nodes[comm.rank()]));
  if (gpus) {
    topology.host_memory = comm.min(own.bytes);
    return topology;
  }
  const std::vector<Index> memories = comm.all_gather(own.bytes);
  const auto least = std::min_element(memories.begin(), memories.end());
  topology.memory = *least;
  topology.memory_from = comm.broadcast(own.from, int(least - memories.begin()));
  return topology;
}

}  // namespace tesserec::planning
