// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "chart.hpp"
#include "figures.hpp"
#include "svg.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::report {
namespace {

/// evaluation.bins of result.json: samples by their score, in bins of one width.
struct Bins {
  std::vector<double> samples, clicks, scores;
  double all = 0;
};

std::optional<Bins> bins_of(const Run& run) {
  const std::optional<Bins> bins = run.result.read({"evaluation", "bins"}, [](const Json& json) {
    Bins read{numbers(json.at("samples")), numbers(json.at("clicks")), {}};
    for (const Json& score : json.at("scores").elements()) read.scores.push_back(number_of(score));
    if (read.clicks.size() != read.samples.size() || read.scores.size() != read.samples.size())
      fail("lists of unlike lengths");
    for (const double samples : read.samples) read.all += samples;
    return read;
  });
  return bins && bins->all > 0 ? bins : std::nullopt;
}

/// Neighbouring bins together, until they hold a twentieth of the samples: mean score, share of clicks.
std::vector<Point> calibration_points(const Bins& bins) {
  std::vector<Point> points;
  double samples = 0, clicks = 0, scores = 0, rest = bins.all;
  for (std::size_t b = 0; b < bins.samples.size(); ++b) {
    samples += bins.samples[b], clicks += bins.clicks[b], scores += bins.scores[b];
    rest -= bins.samples[b];
    if (samples == 0 || (samples < bins.all / 20 && rest > 0)) continue;
    points.push_back({scores / samples, clicks / samples});
    samples = clicks = scores = 0;
  }
  return points;
}

/// Steps: the share of the samples in each bin, from the first that has some to the last.
std::vector<Point> histogram_points(const std::vector<double>& counts, double all) {
  std::vector<Point> points;
  const double width = 1 / double(counts.size());
  std::size_t first = 0, end = counts.size();
  while (first < end && counts[first] == 0) ++first;
  while (end > first && counts[end - 1] == 0) --end;
  for (std::size_t b = first; b < end; ++b)
    for (const std::size_t edge : {b, b + 1}) points.push_back({double(edge) * width, 100 * counts[b] / all});
  return points;
}

}  // namespace

std::string calibration(const Runs& runs) {
  Chart curve{"Calibration at the last evaluation",
              {"predicted click rate (ratio)"},
              {"observed click rate (ratio)"},
              {},
              true};
  Chart histogram{
      "Scores of the evaluation set", {"score (predicted click rate)"}, {"samples (% in 0.01 of score)"}, {}};
  for (const Run& run : runs.all) {
    const std::optional<Bins> bins = bins_of(run);
    if (!bins) continue;
    curve.series.push_back({run.name, run.css, calibration_points(*bins)});
    if (runs.all.size() > 1) {
      histogram.series.push_back({run.name, run.css, histogram_points(bins->samples, bins->all)});
      continue;
    }
    std::vector<double> others = bins->samples;
    for (std::size_t b = 0; b < others.size(); ++b) others[b] -= bins->clicks[b];
    histogram.series.push_back({"click", "s1", histogram_points(bins->clicks, bins->all)});
    histogram.series.push_back({"no click", "s0", histogram_points(others, bins->all)});
  }
  double most = 0;
  for (const Series& series : curve.series)
    for (const Point& point : series.points) most = std::max({most, point.x, point.y});
  curve.x.high = curve.y.high = most;
  return draw(curve) + draw(histogram);
}

}  // namespace tesserec::report
