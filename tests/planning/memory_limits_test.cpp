// SPDX-License-Identifier: Apache-2.0
// Memory limits of a job: control groups below a made-up root, Slurm's variables and the process's own limits.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

#include <sys/resource.h>
#include <unistd.h>

#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/core/memory_limits.hpp>
#include <tesserec/planning/topology.hpp>

using namespace tesserec;

namespace {

constexpr Index mib = 1 << 20;

/// A root folder with /proc/self/cgroup, /proc/self/mountinfo and the files of groups.
class Root {
 public:
  Root(const std::string& cgroup, const std::string& mounts) {
    put("/proc/self/cgroup", cgroup);
    put("/proc/self/mountinfo", "23 1 0:1 / / rw,relatime - overlay overlay rw\n" + mounts);
  }
  ~Root() { std::filesystem::remove_all(folder_); }

  void put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(folder_ + path).parent_path());
    std::ofstream(folder_ + path) << text << "\n";
  }
  void put(const std::string& path, Index bytes) { put(path, std::to_string(bytes)); }

  /// Returns the smallest limit, or one of 0 bytes if there is none.
  MemoryLimit least() const {
    const std::vector<MemoryLimit> all = group_limits(folder_);
    const auto found =
        std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
    return found == all.end() ? MemoryLimit{} : *found;
  }
  const std::string& path() const { return folder_; }

 private:
  std::string folder_ =
      (std::filesystem::temp_directory_path() / ("tesserec_root_" + std::to_string(getpid()))).string();
};

const std::string unified = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
const std::string memory_controller = "35 23 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";

}  // namespace

TEST_CASE("group_limits: the smallest limit between the job's group and the root counts") {
  const std::string job = "/sys/fs/cgroup/system.slice/slurmstepd.scope/job_7";
  Root root("0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_0", unified);
  root.put(job + "/step_0/user/task_0/memory.max", "max");
  CHECK(root.least().bytes == 0);
  root.put(job + "/memory.max", 2048 * mib);
  root.put("/sys/fs/cgroup/system.slice/memory.max", 4096 * mib);
  CHECK(root.least().bytes == 2048 * mib);
  CHECK(root.least().from == "memory.max of " + job);
  root.put(job + "/step_0/memory.high", 1024 * mib);
  CHECK(root.least().bytes == 1024 * mib);
  root.put("/sys/fs/cgroup/memory.max", 512 * mib);  // a container's limit, at the root of its namespace
  CHECK(root.least().bytes == 512 * mib);
  root.put("/sys/fs/cgroup/system.slice/other.scope/memory.max", mib);
  CHECK(root.least().bytes == 512 * mib);
  CHECK(node_memory(root.path()).bytes == 512 * mib);
}

TEST_CASE("group_limits: reads groups of version 1 without and with version 2") {
  Root root("9:name=systemd:/\n4:cpuset,memory:/slurm/uid_0/job_7/step_0\n0::/system.slice",
            memory_controller + "41 23 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  const std::string memory = "/sys/fs/cgroup/memory";
  root.put(memory + "/memory.limit_in_bytes", "9223372036854771712");
  root.put(memory + "/slurm/uid_0/job_7/step_0/memory.limit_in_bytes", "9223372036854771712");
  root.put(memory + "/slurm/uid_0/job_7/memory.limit_in_bytes", 3 * mib);
  root.put("/sys/fs/cgroup/unified/system.slice/memory.max", "max");
  CHECK(root.least().bytes == 3 * mib);
  root.put(memory + "/slurm/uid_0/job_7/step_0/memory.stat", "cache 4096\nhierarchical_memory_limit 2097152\nrss 1");
  CHECK(root.least().bytes == 2 * mib);
  root.put("/sys/fs/cgroup/unified/system.slice/memory.max", mib);
  CHECK(root.least().bytes == mib);
}

TEST_CASE("node_memory: a limit above the machine's memory is ignored") {
  Root root("4:memory:/", memory_controller);
  root.put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "18446744073709551615");
  CHECK(node_memory(root.path()).from == "this machine");
}

TEST_CASE("group_limits: finds groups at any mount point and in any mounted subtree") {
  {
    Root root("0::/docker/abc/job", "30 23 0:26 /docker/abc /run/my\\040groups rw - cgroup2 cgroup2 rw\n");
    root.put("/run/my groups/job/memory.max", 5 * mib);
    root.put("/run/my groups/memory.max", 6 * mib);
    CHECK(root.least().bytes == 5 * mib);
  }
  for (const char* group : {"0::/../../job_7", "0::/elsewhere"}) {  // outside the namespace, outside the mount
    Root root(group, "30 23 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    root.put("/sys/fs/cgroup/memory.max", 7 * mib);
    CHECK(root.least().bytes == 7 * mib);
  }
  {  // mounted over by hand
    Root root("0::/job_7", memory_controller);
    root.put("/sys/fs/cgroup/job_7/memory.max", 8 * mib);
    CHECK(root.least().bytes == 8 * mib);
  }
}

TEST_CASE("slurm_limits: reads memory by node and by CPU and by GPU") {
  const auto bytes = [](std::initializer_list<std::pair<const char*, const char*>> variables) {
    for (const auto& [name, value] : variables) setenv(name, value, 1);
    const std::vector<MemoryLimit> limits = slurm_limits();
    for (const auto& [name, value] : variables) unsetenv(name);
    return limits.empty() ? Index{0} : limits.front().bytes;
  };
  CHECK(bytes({}) == 0);
  CHECK(bytes({{"SLURM_MEM_PER_NODE", "2048"}}) == 2048 * mib);
  CHECK(bytes({{"SLURM_MEM_PER_NODE", "4G"}}) == 4096 * mib);
  CHECK(bytes({{"SLURM_MEM_PER_NODE", "0"}}) == 0);
  CHECK(bytes({{"SLURM_MEM_PER_NODE", "much"}}) == 0);
  CHECK(bytes({{"SLURM_MEM_PER_CPU", "100"}, {"SLURM_CPUS_ON_NODE", "6"}}) == 600 * mib);
  CHECK(bytes({{"SLURM_MEM_PER_GPU", "100"}, {"SLURM_GPUS_ON_NODE", "3"}}) == 300 * mib);
  CHECK(bytes({{"SLURM_MEM_PER_CPU", "100"}}) == 0);
  CHECK(bytes({{"SLURM_MEM_PER_NODE", "2048"}, {"SLURM_JOB_ID", "4123456789"}}) == 0);  // that job has ended
}

TEST_CASE("topology_for: a rank's memory is its share of the node's or the limit of the process") {
  const Index whole = planning::topology_for(1, 1, {}).memory;
  CHECK(planning::topology_for(4, 4, {}).memory == whole / 4);
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit before{};
    REQUIRE(getrlimit(resource, &before) == 0);
    rlimit less = before;
    less.rlim_cur = rlim_t(whole) - 4096;
    REQUIRE(setrlimit(resource, &less) == 0);
    const planning::Topology single = planning::topology_for(1, 1, {}), four = planning::topology_for(4, 4, {});
    setrlimit(resource, &before);
    CHECK(single.memory == whole - 4096);
    CHECK(mentions(single.reductions_text(), ", from ulimit -"));
    CHECK(four.memory == whole / 4);
    CHECK(mentions(four.reductions_text(), ", shared by 4 ranks"));
  }
  planning::Settings given;
  given.memory = 3;
  CHECK(planning::topology_for(1, 1, given).memory_from.empty());
}
