// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "catch.hpp"
#include <tesserec/core/slurm.hpp>

using namespace tesserec;

namespace {

/// A fake /proc with a chain of processes; this process is the last.
class Proc {
 public:
  explicit Proc(const std::string& cgroup) {
    put("self/cgroup", cgroup + "\n");
    above("init", 1, 0);
  }
  ~Proc() { std::filesystem::remove_all(folder_); }

  /// Adds a process below the last one, with its name and number; -1 is the number of this process.
  void below(const std::string& name, int number) { above(name, number, last_), last_ = number; }
  void hide(int number) { std::filesystem::remove_all(folder_ / std::to_string(number)); }

  bool is_part(const std::string& job) const { return is_part_of_slurm_job(job, folder_); }

 private:
  void above(const std::string& name, int number, int parent) {
    put((number < 0 ? "self" : std::to_string(number)) + "/status",
        "Name:\t" + name + "\nState:\tS (sleeping)\nPPid:\t" + std::to_string(parent) + "\nUid:\t0\t0\n");
  }
  void put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text;
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("tesserec_proc_" + std::to_string(getpid()));
  int last_ = 1;
};

}  // namespace

TEST_CASE("is_part_of_slurm_job: is true below slurmstepd or salloc or in the job's cgroup") {
  for (const char* daemon : {"slurmstepd", "salloc", "tmux: server"}) {
    Proc proc("0::/user.slice");
    proc.below(daemon, 70);
    proc.below("bash", 71);
    proc.below("tesserec", -1);
    CHECK(proc.is_part("7") == (std::string(daemon) != "tmux: server"));
    proc.hide(70);  // a process of root, where users see only their own processes
    CHECK(proc.is_part("7"));
  }
  for (const auto& [cgroup, job] : {std::pair{"0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_0", true},
                                    {"4:memory:/slurm/uid_0/job_7", true},
                                    {"0::/system.slice/slurmstepd.scope/job_77/step_0", false},
                                    {"0::/", false}}) {
    Proc proc(cgroup);
    proc.below("tesserec", -1);
    CHECK(proc.is_part("7") == job);
  }
}

TEST_CASE("slurm_variable: ignores variables of an ended Slurm job and keeps those set by hand") {
  unsetenv("SLURM_JOB_ID");
  setenv("SLURM_NTASKS", "4", 1);
  CHECK(std::string(slurm_variable("SLURM_NTASKS")) == "4");
  CHECK(slurm_variable("SLURM_MEM_PER_NODE") == nullptr);
  setenv("SLURM_JOB_ID", "4123456789", 1);
  CHECK(slurm_variable("SLURM_NTASKS") == nullptr);
  unsetenv("SLURM_JOB_ID");
  unsetenv("SLURM_NTASKS");
}
