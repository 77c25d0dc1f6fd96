// SPDX-License-Identifier: Apache-2.0
#include "speed.hpp"

#include <algorithm>

namespace tesserec::report {
namespace {

/// Samples of a run before a start, from the start's first two lines; 0 for the first start.
double samples_before(const Curve& lines, std::size_t first, double from_step) {
  if (from_step <= 0 || first + 1 >= lines.steps.size()) return 0;
  const double per_step =
      (lines.samples[first + 1] - lines.samples[first]) / (lines.steps[first + 1] - lines.steps[first]);
  return lines.samples[first] - per_step * (lines.steps[first] - from_step);
}

/// The step that the line's start went on from, if the line before is of an earlier start.
const Start* begun_between(const Run& run, double before, double now) {
  const auto found = std::find_if(run.starts.begin(), run.starts.end(), [&](const Start& start) {
    return start.from_step > 0 && before <= start.from_step && start.from_step < now;
  });
  return found == run.starts.end() ? nullptr : &*found;
}

}  // namespace

Curve speed_between_lines(const Run& run) {
  const auto found = run.train.find("samples_per_second");
  if (found == run.train.end()) return {};
  const Curve& lines = found->second;
  const Curve none;
  const Curve& evaluations = run.evaluate.empty() ? none : run.evaluate.begin()->second;
  Curve speed = lines;
  double before = 0;  // samples of earlier starts
  for (std::size_t i = 1, e = 0; i < lines.values.size(); ++i) {
    if (const Start* const start = begun_between(run, lines.steps[i - 1], lines.steps[i])) {
      before = samples_before(lines, i, start->from_step);
      continue;
    }
    double seconds = lines.seconds[i] - lines.seconds[i - 1];
    for (; e < evaluations.steps.size() && evaluations.steps[e] < lines.steps[i]; ++e) {
      if (evaluations.steps[e] == lines.steps[i - 1]) seconds = lines.seconds[i] - evaluations.seconds[e];
      if (evaluations.steps[e] > lines.steps[i - 1])
        seconds = (lines.samples[i] - before) / lines.values[i] - (lines.samples[i - 1] - before) / lines.values[i - 1];
    }
    speed.values[i] = seconds > 0 ? (lines.samples[i] - lines.samples[i - 1]) / seconds : NAN;
  }
  return speed;
}

}  // namespace tesserec::report
