// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "run_folder.hpp"
#include <tesserec/report/curve_difference.hpp>

namespace tesserec::report {
namespace {

/// Returns the finite values of a curve by step. Of a step with several lines the last one counts.
std::map<double, double> by_step(const Curve& curve) {
  std::map<double, double> values;
  for (std::size_t k = 0; k < curve.steps.size(); ++k)
    if (std::isfinite(curve.values[k])) values[curve.steps[k]] = curve.values[k];
  return values;
}

/// Returns for each step of a curve the step before it, 0 for the first one.
std::map<double, double> steps_before(const Curve& curve) {
  std::map<double, double> before;
  for (const double step : curve.steps) before[step] = 0;
  double last = 0;
  for (auto& [step, previous] : before) previous = std::exchange(last, step);
  return before;
}

/// Returns the first step at which two curves differ. `means`: whether a value is a mean since the step before, so that
/// values with other steps before them are not comparable.
std::optional<CurveDifference> compare(const Curve& a, const Curve& b, bool means) {
  const std::map<double, double> of_b = by_step(b), before_a = steps_before(a), before_b = steps_before(b);
  CurveDifference difference;
  for (const auto& [step, value] : by_step(a)) {
    const auto other = of_b.find(step);
    if (other == of_b.end() || (means && before_a.at(step) != before_b.at(step))) continue;
    if (other->second == value) {
      difference.equal_until = step;
      continue;
    }
    difference.step = step;
    difference.a = value;
    difference.b = other->second;
    return difference;
  }
  return {};
}

}  // namespace

std::optional<CurveDifference> first_difference(const std::string& folder_a, const std::string& folder_b) {
  const Run a = read_run(folder_a), b = read_run(folder_b);
  std::optional<CurveDifference> first;
  const auto add = [&](const auto& curves_a, const auto& curves_b, const std::string& metric, bool evaluation) {
    const auto of_a = curves_a.find(metric), of_b = curves_b.find(metric);
    if (of_a == curves_a.end() || of_b == curves_b.end()) return;
    std::optional<CurveDifference> found = compare(of_a->second, of_b->second, !evaluation);
    if (!found || (first && first->step <= found->step)) return;
    found->evaluation = evaluation;
    found->metric = metric;
    first = found;
  };
  add(a.train, b.train, "loss", false);
  for (const std::string& metric : a.metrics) add(a.evaluate, b.evaluate, metric, true);
  return first;
}

}  // namespace tesserec::report
