// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "chart.hpp"
#include "figures.hpp"
#include "metric.hpp"
#include "run_folder.hpp"

namespace tesserec::report {
namespace {

/// Curves of one metric, one a run; null if a run has none.
using Curves = std::vector<const Curve*>;

/// Curves of a run: those of training, of evaluations or of windows.
using Kind = std::map<std::string, Curve> Run::*;

Curves curves_of(const Runs& runs, const std::string& metric, Kind kind) {
  Curves found;
  for (const Run& run : runs.all) {
    const auto curve = (run.*kind).find(metric);
    found.push_back(curve == (run.*kind).end() ? nullptr : &curve->second);
  }
  return found;
}

/// Unit of time in which the longest run has a readable number.
struct TimeUnit {
  double seconds;
  std::string title;
};

TimeUnit time_unit(const Runs& runs) {
  double longest = 0;
  for (const Run& run : runs.all)
    for (const auto* curves : {&run.train, &run.evaluate, &run.windows})
      for (const auto& [name, curve] : *curves)
        for (const double seconds : curve.seconds)
          if (std::isfinite(seconds)) longest = std::max(longest, seconds);
  if (longest > 3 * 3600) return {3600, "time since the first step (hours)"};
  if (longest > 3 * 60) return {60, "time since the first step (minutes)"};
  return {1, "time since the first step (seconds)"};
}

/// Lists the positions of all starts but the first, if the page shows one run.
std::vector<double> marks_of(const Runs& runs, const TimeUnit* over_time) {
  std::vector<double> marks;
  if (runs.all.size() != 1 || runs.all[0].train.empty()) return marks;
  const Run& run = runs.all[0];
  const Curve& lines = run.train.begin()->second;
  for (std::size_t s = 1; s < run.starts.size(); ++s) {
    if (over_time != nullptr) {
      marks.push_back((seconds_of(run.starts[s].time) - run.begin) / over_time->seconds);
      continue;
    }
    const auto after = std::upper_bound(lines.steps.begin(), lines.steps.end(), run.starts[s].from_step);
    if (after != lines.steps.end() && after != lines.steps.begin())
      marks.push_back(lines.samples[std::size_t(after - lines.steps.begin()) - 1]);
  }
  return marks;
}

/// Makes the chart of a metric. `over_time`: unit of its x axis, or null for an axis of samples.
Chart chart_of(const Runs& runs, const Curves& curves, const Axis& axis, const TimeUnit* over_time) {
  Chart chart{axis.title, {over_time != nullptr ? over_time->title : "training samples"}, axis, {}};
  chart.marks = marks_of(runs, over_time);
  bool positive = true;
  double low = INFINITY, high = 0;
  for (std::size_t r = 0; r < runs.all.size(); ++r) {
    const Run& run = runs.all[r];
    const Curve* const curve = curves[r];
    if (curve == nullptr) continue;
    Series& series = chart.series.emplace_back(Series{run.name, run.css, {}});
    series.diverged = run.end.state == "diverged" && runs.all.size() > 1;
    for (std::size_t k = 0; k < curve->values.size(); ++k) {
      const double value = curve->values[k];
      series.points.push_back(
          {over_time != nullptr ? curve->seconds[k] / over_time->seconds : curve->samples[k], value});
      if (!std::isfinite(value)) continue;
      chart.x.high = std::max(chart.x.high, series.points.back().x);
      if (series.diverged) continue;
      positive = positive && value > 0;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (axis.high <= axis.low && positive && high > 30 * low) chart.y.kind = Scale::Kind::logarithmic;
  return chart;
}

/// Makes a figure over samples and over time. `more_pictures`: further pictures of its switch.
std::string switched_chart(const Runs& runs, const Curves& curves, const std::string& title, const Axis& axis,
                           const std::vector<Reference>& references = {},
                           const std::vector<std::pair<std::string, std::string>>& more_pictures = {}) {
  const TimeUnit unit = time_unit(runs);
  std::vector<std::pair<std::string, std::string>> pictures;
  std::string note;
  for (const TimeUnit* const over_time : {static_cast<const TimeUnit*>(nullptr), &unit}) {
    Chart chart = chart_of(runs, curves, axis, over_time);
    chart.smooth = true;
    chart.references = references;
    note = note_of(chart);
    pictures.emplace_back(over_time == nullptr ? "by samples" : "by time", picture_of(chart));
  }
  pictures.insert(pictures.end(), more_pictures.begin(), more_pictures.end());
  return switched(title, std::move(pictures), note);
}

std::string speed(const Runs& runs) {
  std::vector<Curve> between;
  for (const Run& run : runs.all) between.push_back(speed_between_lines(run));
  Curves speeds;
  double highest = 0;
  for (const Curve& curve : between) {
    speeds.push_back(&curve);
    for (const double speed : curve.values)
      if (std::isfinite(speed)) highest = std::max(highest, speed);
  }
  const Chart means =
      chart_of(runs, curves_of(runs, "samples_per_second", &Run::train), {"mean since the start (samples/s)"}, nullptr);
  return switched_chart(
      runs, speeds, "Speed",
      {"speed between log lines (samples/s)", Scale::Kind::linear, 0, 1.05 * highest, 0, INFINITY, true}, {},
      {{"mean since the start", picture_of(means)}});
}

/// Returns whether a curve has two values that differ.
bool varies(const Curve* curve) {
  return curve != nullptr && std::any_of(curve->values.begin(), curve->values.end(), [&](double value) {
           return std::isfinite(value) && value != curve->values.front();
         });
}

}  // namespace

std::string curves(const Runs& runs) {
  std::string text =
      switched_chart(runs, curves_of(runs, "loss", &Run::train), "Training loss", {"training loss (mean per sample)"});
  std::vector<std::pair<std::string, Kind>> names;
  const auto add_name = [&](const std::string& name, Kind kind) {
    const std::pair<std::string, Kind> pair(name, kind);
    if (std::find(names.begin(), names.end(), pair) == names.end()) names.push_back(pair);
  };
  for (const Run& run : runs.all)
    for (const std::string& name : run.metrics) add_name(name, &Run::evaluate);
  for (const Run& run : runs.all)
    for (const auto& [name, curve] : run.windows) add_name(name, &Run::windows);
  for (const Run& run : runs.all)
    for (const auto& [name, curve] : run.train)
      if (name != "loss" && name != "lr" && name != "samples_per_second") add_name(name, &Run::train);
  for (const auto& [name, kind] : names) {
    const Metric metric = metric_of(name);
    const char* const of_others = kind == &Run::evaluate ? "Evaluation: " : "Training: ";
    text += switched_chart(
        runs, curves_of(runs, name, kind), (kind == &Run::windows ? "Next window: " : of_others) + metric.title,
        {metric.axis, Scale::Kind::linear, 0, 0, metric.lower, metric.upper}, references_of(runs, name));
  }
  text += speed(runs);
  const Curves rates = curves_of(runs, "lr", &Run::train);
  if (std::any_of(rates.begin(), rates.end(), varies))
    text += switched_chart(runs, rates, "Learning rate", {"learning rate of the dense half"});
  return text;
}

}  // namespace tesserec::report
