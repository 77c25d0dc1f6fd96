// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "chart.hpp"
#include "svg.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::report {
namespace {

constexpr std::size_t least_points = 100;  // shorter series are readable without means
constexpr std::size_t halves = 80;         // half windows along a line

}  // namespace

std::size_t smoothing(const std::vector<Point>& points) {
  return points.size() < least_points ? 0 : std::max<std::size_t>(1, points.size() / halves);
}

std::vector<Point> smoothed(const std::vector<Point>& points, std::size_t half, bool rates) {
  std::vector<Point> means;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t each = std::min({half, i, points.size() - 1 - i});
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t k = i - each; k <= i + each; ++k)
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
  std::size_t least = 0, most = 0;
  std::int64_t diverged = 0;
  for (const Series& series : chart.series) {
    diverged += series.diverged && chart.series.size() > 1;
    const std::size_t half = chart.smooth ? smoothing(series.points) : 0;
    if (half == 0) continue;
    least = least == 0 ? half : std::min(least, half);
    most = std::max(most, half);
  }
  std::string text;
  if (most > 0)
    text = concat("Line: mean of ", least < most ? concat(2 * least + 1, " to ") : "", 2 * most + 1,
                  " log lines. Faint: every line. ");
  if (diverged > 0) text += concat(counted(diverged, "run"), " diverged: outside of the others' range at the edge.");
  return text.empty() ? "" : element("p", {{"class", "note"}}, text);
}

}  // namespace tesserec::report
