// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "costs.hpp"
#include <tesserec/bench/report.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::bench {
namespace {

/// Formats a rate as "12.3 GFLOP/s".
std::string human(double value, const std::string& unit) {
  const char* prefixes[] = {"", "k", "M", "G", "T", "P"};
  int at = 0;
  for (; std::abs(value) >= 1000 && at < 5; ++at) value /= 1000;
  return significant(value, 3) + " " + prefixes[at] + unit;
}

std::string milliseconds(double seconds) { return fixed(1e3 * seconds, 3) + " ms"; }
std::string percent(double fraction) { return fixed(100 * fraction, 1) + " %"; }

std::string figure_line(const Figure& figure) {
  std::string text = "  " + left(figure.name, 46) + " " + right(human(figure.rate, figure.unit), 16);
  if (figure.limit > 0) text += "  " + right(percent(figure.fraction()), 7) + " of " + figure.bound;
  if (figure.step_seconds > 0) text += "  " + milliseconds(figure.step_seconds);
  if (figure.step_seconds > 0 && figure.limit > 0)
    text += ", at the limit " + milliseconds(figure.step_seconds * figure.fraction());
  return text;
}

std::string title(const std::string& group) {
  if (group == "limits") return "limits, one rank while all measure";
  if (group == "layers") return "layers, a chunk of 128 samples, hot";
  if (group == "rows") return "rows, uniform ids, out of the caches";
  if (group == "step") return "the step's phases";
  if (group == "kernels") return "kernels of a step, each waited for";
  return group;
}

}  // namespace

const Figure* Report::find(const std::string& group, const std::string& name) const {
  for (const Figure& figure : figures)
    if (figure.group == group && figure.name == name) return &figure;
  return nullptr;
}

std::string describe(const Report& report) {
  std::string text = concat(counted(report.ranks, "rank"), ", ", report.ranks_per_node, " a node\n");
  std::string group;
  for (const Figure& figure : report.figures) {
    if (figure.group != group) {
      group = figure.group;
      text += title(group) + "\n";
    }
    text += figure_line(figure) + "\n";
  }
  if (report.step_seconds > 0)
    text += concat("step of ", fixed(report.samples_per_step, 0), " samples: ", milliseconds(report.step_seconds), ", ",
                   fixed(report.samples_per_step / report.step_seconds, 0), " samples/s, ",
                   percent(report.step_fraction), " of the multiply-add peak\n");
  if (!report.bottleneck.empty()) text += "bottleneck: " + report.bottleneck + "\n";
  if (!report.cost_keys.empty()) {
    text += "constants of the planner\n";
    for (const std::string& key : report.cost_keys)
      text += "  " + left(key, 20) + " " + significant(cost(report.costs, key), 4) + "\n";
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
  for (const std::string& key : report.cost_keys)
    text += left(key, 20) + " = " + scientific(cost(report.costs, key), 6) + "\n";
  return text;
}

}  // namespace tesserec::bench
