// SPDX-License-Identifier: Apache-2.0
/// The Slurm job of this process.
#pragma once

#include <string>

namespace tesserec {

/// Returns an environment variable of Slurm, or null if it is unset or stale. It is stale if SLURM_JOB_ID names a job
/// that this process does not belong to, as in a terminal multiplexer or container that outlived the job. One warning
/// of rank 0 then names the variables that are set. Without SLURM_JOB_ID the variables were set by hand and are valid.
const char* slurm_variable(const char* name);

/// Returns whether this process belongs to `job`: slurmstepd or salloc is an ancestor, the cgroup is the job's, or an
/// ancestor is hidden. `proc`: folder of procfs.
bool is_part_of_slurm_job(const std::string& job, const std::string& proc = "/proc");

}  // namespace tesserec
