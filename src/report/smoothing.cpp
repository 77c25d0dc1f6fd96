// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "chart.hpp"
#include "svg.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::report {
namespace {

constexpr std::size_t min_points = 100;  // shorter series are readable without means
constexpr std::size_t halves = 80;       // half windows along a line

}  // namespace

std::size_t smoothing(const std::vector<Point>& points) {
  return points.size() < min_points ? 0 : std::max<std::size_t>(1, points.size() / halves);
}

std::vector<Point> smoothed(const std::vector<Point>& points, std::size_t half, bool rates) {
  std::vector<Point> means;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t radius = std::min({half, i, points.size() - 1 - i});
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t k = i - radius; k <= i + radius; ++k)
      if (std::isfinite(points[k].y)) {
        sum += rates ? 1 / points[k].y : points[k].y;
        ++count;
      }
    const double mean = count > 0 ? sum / double(count) : NAN;
    means.push_back({points[i].x, rates ? 1 / mean : mean});
  }
  return means;
}

std::string note_of(const Chart& chart) {
  std::size_t shortest = 0, longest = 0;
  std::int64_t diverged = 0;
  for (const Series& series : chart.series) {
    diverged += series.diverged && chart.series.size() > 1;
    const std::size_t half = chart.smooth ? smoothing(series.points) : 0;
    if (half == 0) continue;
    shortest = shortest == 0 ? half : std::min(shortest, half);
    longest = std::max(longest, half);
  }
  std::string text;
  if (longest > 0)
    text = concat("Line: mean of ", shortest < longest ? concat(2 * shortest + 1, " to ") : "", 2 * longest + 1,
                  " log lines. Faint: every line. ");
  if (diverged > 0)
    text +=
        concat(counted(diverged, "run"), " diverged; values outside the range of the others are drawn at the edge.");
  return text.empty() ? "" : element("p", {{"class", "note"}}, text);
}

}  // namespace tesserec::report
