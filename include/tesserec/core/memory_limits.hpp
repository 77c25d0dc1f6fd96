// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec {

/// Limit in bytes, with its source, such as "memory.max of /sys/fs/cgroup/job_7".
struct MemoryLimit {
  Index bytes = 0;
  std::string from;
};

/// Returns the limits of this process's control group (cgroup) and the groups above it. Reads version 2 (memory.max,
/// memory.high) and version 1 (memory.limit_in_bytes, memory.stat). `root`: prefix of /proc and /sys.
std::vector<MemoryLimit> group_limits(const std::string& root = "");

/// Returns the limits that Slurm set for the job on this node.
std::vector<MemoryLimit> slurm_limits();

/// Returns the least of the node's memory, group_limits and slurm_limits, shared by all ranks of the node.
MemoryLimit node_memory(const std::string& root = "");

/// Returns the limit of this process alone (ulimit -v, ulimit -d); the largest Index without one.
MemoryLimit process_memory();

}  // namespace tesserec
