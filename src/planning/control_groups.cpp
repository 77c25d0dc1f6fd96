// SPDX-License-Identifier: Apache-2.0
// Where control groups are mounted, and what they leave this process.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "memory_limits.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::planning {
namespace {

namespace fs = std::filesystem;

/// A hierarchy of groups with the memory controller.
struct Hierarchy {
  int version = 2;
  std::string mount;  ///< folder at which it is mounted
  std::string top;    ///< group that this folder is
};

/// "a,memory,b" has memory.
bool has_memory(const std::string& list) { return ("," + list + ",").find(",memory,") != std::string::npos; }

/// Undoes the kernel's "\040" for a space.
std::string unescaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool octal = text[i] == '\\' && i + 3 < text.size();
    out += octal ? char((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0')) : text[i];
    if (octal) i += 3;
  }
  return out;
}

/// Mounts by /proc/self/mountinfo, and the usual places: a container may have mounted its own there.
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

/// The group of this process in hierarchies of a version, as /proc/self/cgroup has it: "0::/a" or "4:memory:/a".
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

/// The group's folder below the mount; the mount itself where the group lies outside of it, as in a namespace.
fs::path folder_of(const Hierarchy& hierarchy, const std::string& group, const std::string& root) {
  const fs::path mount = root + hierarchy.mount;
  const fs::path below = fs::path(group).lexically_relative(hierarchy.top);
  std::error_code error;
  const bool inside = !below.empty() && *below.begin() != ".." && group.find("/..") == std::string::npos;
  return inside && below != "." && fs::is_directory(mount / below, error) ? mount / below : mount;
}

/// A number alone, or behind `key` in lines of "key number". "max" and numbers beyond an Index are no limit.
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
        add_limit(folder, "memory.stat", "hierarchical_memory_limit ", root, limits);  // of groups out of sight too
      }
      if (folder == mount || folder == folder.parent_path()) break;
    }
  }
  return limits;
}

}  // namespace tesserec::planning
