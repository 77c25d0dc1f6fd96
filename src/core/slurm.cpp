// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <fstream>
#include <vector>

#include <tesserec/core/log.hpp>
#include <tesserec/core/slurm.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec {
namespace {

/// Variables of Slurm that this program reads.
constexpr const char* variables_read[] = {"SLURM_NTASKS",      "SLURM_JOB_END_TIME", "SLURM_MEM_PER_NODE",
                                          "SLURM_MEM_PER_CPU", "SLURM_MEM_PER_GPU",  "SLURM_CPUS_ON_NODE",
                                          "SLURM_GPUS_ON_NODE"};

bool has_value(const char* text) { return text != nullptr && *text != '\0'; }

/// Returns whether this process is in a cgroup of the job, such as "/system.slice/slurmstepd.scope/job_7/step_0".
bool is_in_cgroup_of(const std::string& job, const std::string& proc) {
  std::ifstream lines(proc + "/self/cgroup");
  const std::string folder = "/job_" + job;
  for (std::string line; std::getline(lines, line);)
    if ((line + "/").find(folder + "/") != std::string::npos) return true;
  return false;
}

/// Name and parent of a process, from /proc/PID/status.
struct Process {
  std::string name;
  long parent = -1;  ///< -1 if the process is hidden
};

/// Reads FOLDER/status.
Process process(const std::string& folder) {
  Process found;
  std::ifstream lines(folder + "/status");
  for (std::string line; std::getline(lines, line);) {
    const std::size_t value = line.find_first_not_of("\t ", line.find(':') + 1);
    if (value == std::string::npos) continue;
    if (line.starts_with("Name:")) found.name = line.substr(value);
    if (line.starts_with("PPid:")) found.parent = parse_number<long>(line.substr(value)).value_or(-1);
  }
  return found;
}

}  // namespace

bool is_part_of_slurm_job(const std::string& job, const std::string& proc) {
  if (is_in_cgroup_of(job, proc)) return true;
  long parent = process(proc + "/self").parent;
  while (parent > 1) {
    const Process above = process(proc + "/" + std::to_string(parent));
    if (above.parent < 0) return true;  // slurmstepd is root's, and /proc may hide it.
    if (above.name == "slurmstepd" || above.name == "salloc") return true;
    parent = above.parent;
  }
  return false;
}

const char* slurm_variable(const char* name) {
  const char* value = std::getenv(name);
  const char* job = std::getenv("SLURM_JOB_ID");
  if (value == nullptr || !has_value(job) || is_part_of_slurm_job(job)) return value;
  static bool warned = false;
  if (!warned) {
    std::vector<std::string> set;
    for (const char* variable : variables_read)
      if (has_value(std::getenv(variable))) set.emplace_back(variable);
    log_info(concat("warning: ", join(set), set.size() == 1 ? " is" : " are",
                    " ignored, because SLURM_JOB_ID names job ", job,
                    ", which seems to have ended: this process has no slurmstepd or salloc above it, and another "
                    "cgroup. `unset ${!SLURM_@}` removes the job's variables"));
    warned = true;
  }
  return nullptr;
}

}  // namespace tesserec
