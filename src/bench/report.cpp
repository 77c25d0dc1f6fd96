// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>

#include "cost_keys.hpp"
#include <tesserec/bench/report.hpp>

namespace tesserec::bench {
namespace {

template <class... Values>
std::string line(const char* format, Values... values) {
  char text[300];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

/// "12.3 GFLOP/s"
std::string human(double value, const std::string& unit) {
  const char* prefixes[] = {"", "k", "M", "G", "T", "P"};
  int at = 0;
  for (; std::abs(value) >= 1000 && at < 5; ++at) value /= 1000;
  return line("%.3g ", value) + prefixes[at] + unit;
}

std::string title(const std::string& group) {
  if (group == "limits") return "limits, one rank while all measure";
  if (group == "layers") return "layers, a chunk of 128 samples, hot";
  if (group == "rows") return "rows, uniform ids, out of the caches";
  if (group == "step") return "the step's phases";
  if (group == "law") return "by the reduction law, and in no order";
  return group;
}

}  // namespace

const Figure* Report::find(const std::string& group, const std::string& name) const {
  for (const Figure& figure : figures)
    if (figure.group == group && figure.name == name) return &figure;
  return nullptr;
}

std::string describe(const Report& report) {
  std::string text = std::to_string(report.ranks) + (report.ranks == 1 ? " rank" : " ranks") + ", " +
                     std::to_string(report.ranks_per_node) + " a node\n";
  std::string group;
  for (const Figure& figure : report.figures) {
    if (figure.group != group) {
      group = figure.group;
      text += title(group) + "\n";
    }
    text += line("  %-46s %16s", figure.name.c_str(), human(figure.rate, figure.unit).c_str());
    if (figure.limit > 0) text += line("  %5.1f %% of %s", 100 * figure.fraction(), figure.bound.c_str());
    if (figure.step_seconds > 0) {
      text += line("  %.3f ms", 1e3 * figure.step_seconds);
      if (figure.limit > 0) text += line(", at the limit %.3f ms", 1e3 * figure.step_seconds * figure.fraction());
    }
    text += "\n";
  }
  if (report.step_seconds > 0)
    text += line("step of %.0f samples: %.3f ms, %.0f samples/s, %.1f %% of the multiply-add peak\n",
                 report.samples_per_step, 1e3 * report.step_seconds, report.samples_per_step / report.step_seconds,
                 100 * report.step_fraction);
  if (report.law_cost) text += line("cost of the law: %.1f %% of a step\n", 100 * *report.law_cost);
  if (!report.bottleneck.empty()) text += "bottleneck: " + report.bottleneck + "\n";
  if (!report.cost_keys.empty()) {
    text += "constants of the planner\n";
    for (const std::string& key : report.cost_keys)
      text += line("  %-20s %.4g\n", key.c_str(), cost(report.costs, key));
  }
  return text;
}

std::vector<std::pair<std::string, double>> measured_costs(const Report& report) {
  std::vector<std::pair<std::string, double>> list;
  for (const std::string& key : report.cost_keys) list.emplace_back(key, cost(report.costs, key));
  return list;
}

std::string machine_toml(const Report& report, const std::string& head) {
  std::string text =
      "# " + head + "\n# Keys of [plan.costs], measured by tesserec bench; name this file in plan.machine.\n";
  for (const std::string& key : report.cost_keys) text += line("%-20s = %.6e\n", key.c_str(), cost(report.costs, key));
  return text;
}

}  // namespace tesserec::bench
