// SPDX-License-Identifier: Apache-2.0
#include "memory_limits.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include <sys/resource.h>
#include <unistd.h>

#include <tesserec/core/log.hpp>
#include <tesserec/core/slurm.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::planning {
namespace {

constexpr double mib = 1 << 20;

/// "2048", "4G": MiB where no unit stands behind the number. The job has all of the node's memory with 0.
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

/// A variable that is no number is passed over, and said so.
std::optional<double> number_in(const char* name, const char* text) {
  const std::optional<double> value = mebibytes(text);
  if (!value) log_warning(concat(name, " is \"", text, "\", no amount of memory or count: it is not looked at"));
  return value;
}

}  // namespace

std::vector<MemoryLimit> slurm_limits() {
  struct Source {
    const char* memory;
    const char* count;  ///< of what the memory is of; null: the node
  };
  std::vector<MemoryLimit> limits;
  for (const Source& source : {Source{"SLURM_MEM_PER_NODE", nullptr},
                               {"SLURM_MEM_PER_CPU", "SLURM_CPUS_ON_NODE"},
                               {"SLURM_MEM_PER_GPU", "SLURM_GPUS_ON_NODE"}}) {
    const char* memory = slurm_variable(source.memory);
    const char* count = source.count == nullptr ? "1" : slurm_variable(source.count);
    if (memory == nullptr || count == nullptr) continue;
    const auto each = number_in(source.memory, memory), times = number_in(source.count, count);
    if (!each || !times || *each <= 0 || *times <= 0) continue;
    const double bytes = *each * *times * mib;
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
  const auto look = [&](auto resource, const char* name) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    if (limit.rlim_cur < rlim_t(least.bytes)) least = {Index(limit.rlim_cur), name};
  };
  look(RLIMIT_AS, "ulimit -v");
  look(RLIMIT_DATA, "ulimit -d");
  return least;
}

}  // namespace tesserec::planning
