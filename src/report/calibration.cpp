// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "chart.hpp"
#include "figures.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::report {
namespace {

/// Content of evaluation.bins in result.json: samples by score, in bins of equal width.
struct Bins {
  std::vector<double> samples, clicks, scores;
  double total = 0;
};

/// Lists the labels whose bins a run has; "" = the bins of the only label.
std::vector<std::string> labels_of(const Runs& runs) {
  constexpr std::string_view tail = ".bins";
  std::vector<std::string> labels;
  for (const Run& run : runs.all) {
    const auto names = run.result.read({"evaluation"}, [](const Json& json) { return json.names(); });
    for (const std::string& name : names.value_or(std::vector<std::string>()))
      if (const std::string label = name.substr(0, name.size() - std::min(name.size(), tail.size()));
          name.ends_with(tail) && std::find(labels.begin(), labels.end(), label) == labels.end())
        labels.push_back(label);
  }
  return labels.empty() ? std::vector<std::string>{""} : labels;
}

std::optional<Bins> bins_of(const Run& run, const std::string& label) {
  const std::string key = label.empty() ? "bins" : label + ".bins";
  const std::optional<Bins> bins = run.result.read({"evaluation", key.c_str()}, [](const Json& json) {
    Bins read{numbers(json.at("samples")), numbers(json.at("clicks")), {}};
    for (const Json& score : json.at("scores").elements()) read.scores.push_back(number_of(score));
    if (read.clicks.size() != read.samples.size() || read.scores.size() != read.samples.size())
      fail("the lists differ in length");
    for (const double samples : read.samples) read.total += samples;
    return read;
  });
  return bins && bins->total > 0 ? bins : std::nullopt;
}

/// Merges neighboring bins until they have a twentieth of the samples. Returns their (mean score, share of clicks).
std::vector<Point> calibration_points(const Bins& bins) {
  std::vector<Point> points;
  double samples = 0, clicks = 0, scores = 0, rest = bins.total;
  for (std::size_t b = 0; b < bins.samples.size(); ++b) {
    samples += bins.samples[b];
    clicks += bins.clicks[b];
    scores += bins.scores[b];
    rest -= bins.samples[b];
    if (samples == 0 || (samples < bins.total / 20 && rest > 0)) continue;
    points.push_back({scores / samples, clicks / samples});
    samples = clicks = scores = 0;
  }
  return points;
}

/// Returns how many of the hundred bins make one bar of the histogram, so that few samples do not look like a comb.
std::size_t bins_of_bar(double samples) {
  if (samples < 10000) return 4;
  return samples < 50000 ? 2 : 1;
}

/// Returns the outline of a histogram: (edge, percent of all counts), from the first bin with a count to the last.
std::vector<Point> histogram_points(const std::vector<double>& counts_of_bins, std::size_t bins_per_bar) {
  std::vector<Point> points;
  std::vector<double> counts((counts_of_bins.size() + bins_per_bar - 1) / bins_per_bar);
  double total = 0;
  for (std::size_t b = 0; b < counts_of_bins.size(); ++b) {
    counts[b / bins_per_bar] += counts_of_bins[b];
    total += counts_of_bins[b];
  }
  if (total == 0) return points;
  const double width = double(bins_per_bar) / double(counts_of_bins.size());
  std::size_t first = 0, end = counts.size();
  while (first < end && counts[first] == 0) ++first;
  while (end > first && counts[end - 1] == 0) --end;
  for (std::size_t b = first; b < end; ++b)
    for (const std::size_t edge : {b, b + 1}) points.push_back({double(edge) * width, 100 * counts[b] / total});
  return points;
}

/// Returns (percent of all samples, percent of all clicks) of the samples with the highest scores, bin by bin.
std::vector<Point> gain_points(const Bins& bins) {
  std::vector<Point> points = {{0, 0}};
  double samples = 0, clicks = 0, all_clicks = 0;
  for (const double count : bins.clicks) all_clicks += count;
  if (all_clicks == 0 || all_clicks == bins.total) return {};
  for (std::size_t b = bins.samples.size(); b-- > 0;) {
    if (bins.samples[b] == 0) continue;
    samples += bins.samples[b];
    clicks += bins.clicks[b];
    points.push_back({100 * samples / bins.total, 100 * clicks / all_clicks});
  }
  return points;
}

/// Draws calibration, scores and gain of one label.
std::string calibration_of(const Runs& runs, const std::string& label) {
  const std::string of = label.empty() ? "" : ": " + label;
  Chart curve{"Calibration at the last evaluation" + of,
              {"predicted click rate (mean score)"},
              {"observed click rate (clicks per sample)"},
              {},
              true};
  std::size_t bins_per_bar = 1;
  for (const Run& run : runs.all)
    if (const auto bins = bins_of(run, label)) bins_per_bar = std::max(bins_per_bar, bins_of_bar(bins->total));
  const std::string width = fixed(0.01 * double(bins_per_bar), 2);
  Chart histogram{"Scores of the evaluation set" + of, {"score (predicted click rate)"}, {}, {}};
  Chart gain{"Clicks among the highest scores" + of,
             {"samples with the highest scores (% of all)", Scale::Kind::linear, 0, 100},
             {"clicks among them (% of all)", Scale::Kind::linear, 0, 100},
             {},
             true};
  histogram.marked = gain.marked = false;
  for (const Run& run : runs.all) {
    const std::optional<Bins> bins = bins_of(run, label);
    if (!bins) continue;
    curve.series.push_back({run.name, run.css, calibration_points(*bins)});
    gain.series.push_back({run.name, run.css, gain_points(*bins)});
    if (runs.all.size() > 1) {
      histogram.y.title = concat("samples (% per ", width, " of score)");
      histogram.series.push_back({run.name, run.css, histogram_points(bins->samples, bins_per_bar)});
      continue;
    }
    std::vector<double> others = bins->samples;
    for (std::size_t b = 0; b < others.size(); ++b) others[b] -= bins->clicks[b];
    histogram.y.title = concat("of the clicks, of the others (% per ", width, ")");
    histogram.series.push_back({"clicks", "s1", histogram_points(bins->clicks, bins_per_bar)});
    histogram.series.push_back({"no clicks", "s0", histogram_points(others, bins_per_bar)});
  }
  double highest = 0;
  for (const Series& series : curve.series)
    for (const Point& point : series.points) highest = std::max({highest, point.x, point.y});
  curve.x.high = curve.y.high = highest;
  return draw(curve) + draw(histogram) + draw(gain);
}

}  // namespace

std::string calibration(const Runs& runs) {
  std::string text;
  for (const std::string& label : labels_of(runs)) text += calibration_of(runs, label);
  return text;
}

}  // namespace tesserec::report
