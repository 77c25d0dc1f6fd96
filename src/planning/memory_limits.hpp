// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::planning {

/// Bytes, and what says so: "memory.max of /sys/fs/cgroup/job_7".
struct MemoryLimit {
  Index bytes = 0;
  std::string from;
};

/// Limits of the control groups (cgroups) of this process: its own and those above it, of version 2 (memory.max,
/// memory.high) and version 1 (memory.limit_in_bytes). `root` stands before /proc and /sys.
std::vector<MemoryLimit> group_limits(const std::string& root = "");

/// Returns the limits that Slurm gave the job on this node.
std::vector<MemoryLimit> slurm_limits();

/// The least of a node's memory, group_limits and slurm_limits: for all ranks of the node together.
MemoryLimit node_memory(const std::string& root = "");

/// The limit of this process alone (ulimit -v, ulimit -d); the largest Index without one.
MemoryLimit process_memory();

}  // namespace tesserec::planning
