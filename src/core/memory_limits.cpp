// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include <sys/resource.h>
#include <unistd.h>

#include <tesserec/core/log.hpp>
#include <tesserec/core/memory_limits.hpp>
#include <tesserec/core/slurm.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec {
namespace {

constexpr double mib = 1 << 20;

/// Parses "2048" or "4G" to MiB, the default unit. The value 0 means the node's whole memory.
std::optional<double> mebibytes(const std::string& text) {
  const std::string units = "KMGT";
  const std::size_t unit = text.empty() ? std::string::npos : units.find(text.back());
  const auto number = parse_number<Index>(text.substr(0, text.size() - (unit == std::string::npos ? 0 : 1)));
  if (!number || *number < 0) return std::nullopt;
  double value = double(*number);
  if (unit == 0) value /= 1024;
  for (std::size_t step = 1; unit != std::string::npos && step < unit; ++step) value *= 1024;
  return value;
}

/// Returns the value of an environment variable [MiB or a count]. Warns and returns nothing if it is no number.
std::optional<double> number_in(const char* name, const char* text) {
  const std::optional<double> value = mebibytes(text);
  if (!value) log_warning(concat(name, " is \"", text, "\", which is not an amount of memory or a count; ignoring it"));
  return value;
}

namespace fs = std::filesystem;

/// Hierarchy of control groups with the memory controller.
struct Hierarchy {
  int version = 2;
  std::string mount;  ///< folder of its mount
  std::string top;    ///< group to which this folder belongs
};

/// Returns whether a list such as "a,memory,b" names the memory controller.
bool has_memory(const std::string& list) { return ("," + list + ",").find(",memory,") != std::string::npos; }

/// Decodes the kernel's octal escapes, such as "\040" for a space.
std::string unescaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool octal = text[i] == '\\' && i + 3 < text.size();
    out += octal ? char((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0')) : text[i];
    if (octal) i += 3;
  }
  return out;
}

/// Lists the mounts of /proc/self/mountinfo and the usual mount points, where a container may have its own mount.
std::vector<Hierarchy> hierarchies(const std::string& root) {
  std::vector<Hierarchy> found;
  std::ifstream lines(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string skip, top, mount, word, type, device, options;
    words >> skip >> skip >> skip >> top >> mount;
    while (words >> word && word != "-") continue;
    words >> type >> device >> options;
    if (type == "cgroup2" || (type == "cgroup" && has_memory(options)))
      found.push_back({type == "cgroup2" ? 2 : 1, unescaped(mount), unescaped(top)});
  }
  found.push_back({2, "/sys/fs/cgroup", "/"});
  found.push_back({2, "/sys/fs/cgroup/unified", "/"});
  found.push_back({1, "/sys/fs/cgroup/memory", "/"});
  return found;
}

/// Returns the group of this process in hierarchies of a version, from /proc/self/cgroup: "0::/a" or "4:memory:/a".
std::string group_of(int version, const std::string& root) {
  std::ifstream lines(root + "/proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (version == 2 ? controllers.empty() : has_memory(controllers)) return line.substr(second + 1);
  }
  return "/";
}

/// Returns the group's folder below the mount, or the mount itself if the group lies outside of it, as in a namespace.
fs::path folder_of(const Hierarchy& hierarchy, const std::string& group, const std::string& root) {
  const fs::path mount = root + hierarchy.mount;
  const fs::path below = fs::path(group).lexically_relative(hierarchy.top);
  std::error_code error;
  const bool inside = !below.empty() && *below.begin() != ".." && group.find("/..") == std::string::npos;
  return inside && below != "." && fs::is_directory(mount / below, error) ? mount / below : mount;
}

/// Adds the limits of a file: a single number, or numbers in lines of "key number". "max" and numbers beyond an Index
/// set no limit.
void add_limit(const fs::path& folder, const std::string& name, const std::string& key, const std::string& root,
               std::vector<MemoryLimit>& limits) {
  std::ifstream lines(folder / name);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key)) continue;
    const auto bytes = parse_number<Index>(line.substr(key.size()));
    if (bytes && *bytes > 0) limits.push_back({*bytes, name + " of " + folder.string().substr(root.size())});
  }
}

}  // namespace

std::vector<MemoryLimit> group_limits(const std::string& root) {
  std::vector<MemoryLimit> limits;
  for (const Hierarchy& hierarchy : hierarchies(root)) {
    const fs::path mount = root + hierarchy.mount;
    for (fs::path folder = folder_of(hierarchy, group_of(hierarchy.version, root), root);;
         folder = folder.parent_path()) {
      if (hierarchy.version == 2) {
        add_limit(folder, "memory.max", "", root, limits);
        add_limit(folder, "memory.high", "", root, limits);
      } else {
        add_limit(folder, "memory.limit_in_bytes", "", root, limits);
        add_limit(folder, "memory.stat", "hierarchical_memory_limit ", root, limits);  // outer groups included
      }
      if (folder == mount || folder == folder.parent_path()) break;
    }
  }
  return limits;
}

std::vector<MemoryLimit> slurm_limits() {
  struct Source {
    const char* memory;
    const char* count;  ///< variable with the number of units; null = the node is the unit
  };
  std::vector<MemoryLimit> limits;
  for (const Source& source : {Source{"SLURM_MEM_PER_NODE", nullptr},
                               {"SLURM_MEM_PER_CPU", "SLURM_CPUS_ON_NODE"},
                               {"SLURM_MEM_PER_GPU", "SLURM_GPUS_ON_NODE"}}) {
    const char* memory = slurm_variable(source.memory);
    const char* count = source.count == nullptr ? "1" : slurm_variable(source.count);
    if (memory == nullptr || count == nullptr) continue;
    const auto unit_mib = number_in(source.memory, memory), units = number_in(source.count, count);
    if (!unit_mib || !units || *unit_mib <= 0 || *units <= 0) continue;
    const double bytes = *unit_mib * *units * mib;
    if (bytes >= double(std::numeric_limits<Index>::max())) continue;
    limits.push_back({Index(bytes), concat(source.memory, "=", memory,
                                           source.count == nullptr ? "" : concat(", ", source.count, "=", count))});
  }
  return limits;
}

MemoryLimit node_memory(const std::string& root) {
  MemoryLimit least{Index(sysconf(_SC_PHYS_PAGES)) * Index(sysconf(_SC_PAGE_SIZE)), "this machine"};
  for (const auto& limits : {group_limits(root), slurm_limits()})
    for (const MemoryLimit& limit : limits)
      if (limit.bytes < least.bytes) least = limit;
  return least;
}

MemoryLimit process_memory() {
  MemoryLimit least{std::numeric_limits<Index>::max(), ""};
  const auto check = [&](auto resource, const char* name) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    if (limit.rlim_cur < rlim_t(least.bytes)) least = {Index(limit.rlim_cur), name};
  };
  check(RLIMIT_AS, "ulimit -v");
  check(RLIMIT_DATA, "ulimit -d");
  return least;
}

}  // namespace tesserec
