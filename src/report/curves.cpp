// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "chart.hpp"
#include "figures.hpp"

namespace tesserec::report {
namespace {

/// Where a metric of a run stands.
const Curve* curve_of(const Run& run, const std::string& metric, bool evaluation) {
  const auto& curves = evaluation ? run.evaluate : run.train;
  const auto found = curves.find(metric);
  return found == curves.end() ? nullptr : &found->second;
}

/// Of a metric that has no figure of its own.
std::string unit_of(const std::string& name) {
  if (name.ends_with("log_loss")) return " (nats a sample)";
  return name == "gradient_norm" ? " (length)" : " (ratio)";
}

/// The unit in which the longest run has a readable number of them.
struct TimeUnit {
  double seconds;
  std::string title;
};

TimeUnit time_unit(const Runs& runs) {
  double longest = 0;
  for (const Run& run : runs.all)
    for (const auto* curves : {&run.train, &run.evaluate})
      for (const auto& [name, curve] : *curves)
        for (const double seconds : curve.seconds)
          if (std::isfinite(seconds)) longest = std::max(longest, seconds);
  if (longest > 3 * 3600) return {3600, "time since the first step (hours)"};
  if (longest > 3 * 60) return {60, "time since the first step (minutes)"};
  return {1, "time since the first step (seconds)"};
}

std::string chart_of(const Runs& runs, const std::string& metric, bool evaluation, const std::string& title,
                     const std::string& unit, const TimeUnit* over_time) {
  Chart chart{title + (over_time != nullptr ? " over time" : " over samples"),
              {over_time != nullptr ? over_time->title : "samples trained (count)"},
              {unit},
              {}};
  bool positive = true;
  double low = INFINITY, high = 0;
  for (const Run& run : runs.all) {
    const Curve* const curve = curve_of(run, metric, evaluation);
    if (curve == nullptr) continue;
    Series& series = chart.series.emplace_back(Series{run.name, run.css, {}});
    for (std::size_t k = 0; k < curve->values.size(); ++k) {
      const double value = curve->values[k];
      series.points.push_back(
          {over_time != nullptr ? curve->seconds[k] / over_time->seconds : curve->samples[k], value});
      if (!std::isfinite(value)) continue;
      chart.x.high = std::max(chart.x.high, series.points.back().x);
      positive = positive && value > 0;
      low = std::min(low, value), high = std::max(high, value);
    }
  }
  if (positive && high > 30 * low) chart.y.kind = Scale::Kind::logarithmic;
  return draw(chart);
}

/// "log_loss" -> "log loss".
std::string in_words(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

}  // namespace

std::string curves(const Runs& runs) {
  const TimeUnit time = time_unit(runs);
  std::string text;
  const auto twice = [&](const std::string& metric, bool evaluation, const std::string& title,
                         const std::string& unit) {
    text += chart_of(runs, metric, evaluation, title, unit, nullptr);
    text += chart_of(runs, metric, evaluation, title, unit, &time);
  };
  twice("loss", false, "Training loss", "loss (mean a sample)");
  twice("auc", true, "AUC of the evaluation set", "AUC (share of pairs)");
  twice("ne", true, "Normalized entropy of the evaluation set", "NE (ratio of log losses)");
  twice("samples_per_second", false, "Speed", "mean since the start (samples/s)");
  std::vector<std::pair<std::string, bool>> others;  // and whether of evaluations
  const auto note = [&](const std::string& name, bool evaluation) {
    for (const char* const shown : {"loss", "lr", "auc", "ne", "samples_per_second"})
      if (name == shown) return;
    if (std::find(others.begin(), others.end(), std::pair(name, evaluation)) == others.end())
      others.emplace_back(name, evaluation);
  };
  for (const Run& run : runs.all) {
    for (const std::string& name : run.metrics) note(name, true);
    for (const auto& [name, curve] : run.train) note(name, false);
  }
  for (const auto& [name, evaluation] : others)
    text +=
        chart_of(runs, name, evaluation, evaluation ? "Evaluation: " + in_words(name) : "Training: " + in_words(name),
                 in_words(name) + unit_of(name), nullptr);
  return text;
}

}  // namespace tesserec::report
