// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/metrics/names.hpp>
#include <tesserec/sweep/metric.hpp>

namespace tesserec::sweep {
namespace {

const std::vector<std::string> of_machine = {"samples_per_second", "step_seconds", "peak_memory_bytes"};

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<std::string> metric_names() {
  std::vector<std::string> names = metrics::more_is_better();
  for (const std::string& name : metrics::less_is_better()) names.push_back(name);
  names.emplace_back("loss");
  names.insert(names.end(), of_machine.begin(), of_machine.end());
  return names;
}

bool more_is_better(const std::string& metric) {
  return has(metrics::more_is_better(), metric) || metric == "samples_per_second";
}

bool is_of_evaluation(const std::string& metric) { return metric != "loss" && !is_of_machine(metric); }
bool is_of_machine(const std::string& metric) { return has(of_machine, metric); }

}  // namespace tesserec::sweep
