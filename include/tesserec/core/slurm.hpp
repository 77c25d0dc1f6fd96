// SPDX-License-Identifier: Apache-2.0
/// The job of Slurm that this process is part of.
#pragma once

#include <string>

namespace tesserec {

/// Returns an environment variable of Slurm, null where it is unset. Variables outlive their job in a terminal
/// multiplexer or a container: where SLURM_JOB_ID names a job that this process is no part of, one warning of rank 0
/// names those that are set, and null is returned. Without SLURM_JOB_ID they were set by hand and hold.
const char* slurm_variable(const char* name);

/// Returns whether slurmstepd or salloc is above this process, its cgroup is the job's, or a process above is hidden.
bool is_part_of_slurm_job(const std::string& job, const std::string& proc = "/proc");

}  // namespace tesserec
