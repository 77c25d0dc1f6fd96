// SPDX-License-Identifier: Apache-2.0
#include "chart.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "svg.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::report {
namespace {

constexpr double width = 560, height = 300;
constexpr std::size_t max_named = 6;    // lines whose names stand at their ends
constexpr std::size_t max_marked = 40;  // points of a line that get a mark each
constexpr int all_columns = 3000;       // columns of pixels, over all lines of a chart, to bound its size

struct Bounds {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

/// Makes the scale that the axis prescribes, or else the scale that fits the points.
Scale scale_of(const Axis& axis, const Bounds& found, double from, double to, double margin) {
  if (axis.high > axis.low) return {axis.low, axis.high, from, to, axis.kind};
  if (axis.kind == Scale::Kind::logarithmic) return {found.low / 1.05, found.high * 1.05, from, to, axis.kind};
  const double padding = found.high > found.low ? margin * (found.high - found.low) : 0.1 * std::abs(found.high);
  return {std::max(axis.lower, found.low - padding), std::min(axis.upper, found.high + padding), from, to};
}

/// Widens the bounds to include references that lie near the points.
void reach(Bounds& bounds, const std::vector<Reference>& references) {
  const double distance = 1.5 * (bounds.high - bounds.low);
  const Bounds points = bounds;
  for (const Reference& reference : references)
    if (distance == 0 || (reference.value > points.low - distance && reference.value < points.high + distance))
      bounds.include(reference.value);
}

/// Draws a line at the reference, or, if it lies outside the scale, a text at that edge.
std::string drawn(const Reference& reference, const Plot& plot, const Scale& scale) {
  const bool above = reference.value > scale.high();
  if (above) return label(plot.right - 4, plot.top + 10, "end", reference.text + " lies above", "title halo");
  if (reference.value < scale.low())
    return label(plot.right - 4, plot.bottom - 5, "end", reference.text + " lies below", "title halo");
  const double y = scale.at(reference.value);
  return line(plot.left, y, plot.right, y, "reference") +
         label(plot.right - 4, y < plot.top + 14 ? y + 13 : y - 4, "end", reference.text, "title halo");
}

bool finite(const Point& point) { return std::isfinite(point.x) && std::isfinite(point.y); }

/// Draws a line through the points, with marks if they are few. `faint`: true for the line of all points behind their
/// means.
std::string drawn(const Series& series, const std::vector<Point>& points, const Scale& x, const Scale& y, bool marked,
                  bool faint = false) {
  std::string path, marks;
  for (const Point& point : points) {
    const std::string at_x = number(x.at(point.x)), at_y = number(y.at(std::clamp(point.y, y.low(), y.high())));
    path += concat(path.empty() ? "" : " ", at_x, ",", at_y);
    if (points.size() <= max_marked && marked)
      marks += element("circle", {{"cx", at_x}, {"cy", at_y}, {"r", "2.5"}},
                       hover(concat(series.name, ": ", tick_text(point.x), ", ", significant(point.y, 6))));
  }
  return element("g", {{"class", concat(faint ? "line faint " : "line ", series.css)}},
                 hover(series.name) + element("polyline", {{"points", path}}) + marks);
}

struct Name {
  const Series* series;
  Point end;     // end of the line, in pixels
  double y = 0;  // height of the name, in pixels
};

/// Draws the names at the ends of the lines, moved apart vertically.
std::string names_beside(std::vector<Name> names, const Plot& plot) {
  constexpr double apart = 14;
  std::sort(names.begin(), names.end(), [](const Name& a, const Name& b) { return a.end.y < b.end.y; });
  double next = plot.top + 6;
  for (Name& name : names) next = (name.y = std::max(name.end.y, next)) + apart;
  double last = plot.bottom;
  for (auto name = names.rbegin(); name != names.rend(); ++name) last = (name->y = std::min(name->y, last)) - apart;
  std::string text;
  for (const Name& name : names)
    text += element("g", {{"class", "line " + name.series->css}},
                    line(name.end.x, name.end.y, plot.right + 2, name.end.y, "leader") +
                        line(plot.right + 2, name.end.y, plot.right + 10, name.y, "") +
                        line(plot.right + 10, name.y, plot.right + 30, name.y, "")) +
            element("text", {{"x", number(plot.right + 34)}, {"y", number(name.y + 4)}},
                    hover(name.series->name) + escaped(shortened(name.series->name, 15)));
  return text;
}

}  // namespace

std::vector<Point> thinned(const std::vector<Point>& all, double low, double high, int columns) {
  std::vector<Point> points, kept;
  std::copy_if(all.begin(), all.end(), std::back_inserter(points), finite);
  if (points.size() <= 4 * std::size_t(columns)) return points;
  const auto column = [&](const Point& point) {
    return high > low ? int((point.x - low) / (high - low) * columns) : 0;
  };
  for (std::size_t i = 0; i < points.size();) {
    std::array<std::size_t, 4> extremes = {i, i, i, i};  // indices of the first, lowest, highest and last point
    const int pixel_column = column(points[i]);
    for (; i < points.size() && column(points[i]) == pixel_column; ++i) {
      if (points[i].y < points[extremes[1]].y) extremes[1] = i;
      if (points[i].y > points[extremes[2]].y) extremes[2] = i;
      extremes[3] = i;
    }
    std::sort(extremes.begin(), extremes.end());
    const auto end = std::unique(extremes.begin(), extremes.end());
    for (auto at = extremes.begin(); at != end; ++at) kept.push_back(points[*at]);
  }
  return kept;
}

std::string picture_of(const Chart& chart) {
  Bounds xs, ys;
  std::size_t lines = 0, longest = 0;
  const bool any_whole = std::any_of(chart.series.begin(), chart.series.end(), [](const Series& series) {
    return !series.diverged && std::any_of(series.points.begin(), series.points.end(), finite);
  });
  for (const Series& series : chart.series) {
    std::size_t points = 0;
    for (const Point& point : series.points) {
      if (!finite(point)) continue;
      ++points;
      xs.include(point.x);
      if (!any_whole || !series.diverged) ys.include(point.y);
    }
    lines += points > 0;
    longest = std::max(longest, points);
  }
  if (longest < 2) return "";
  reach(ys, chart.references);
  const bool named = lines > 1 && lines <= max_named;
  Plot plot{0, width - (named ? 148 : 14), 10, height - 42};
  const Scale y = scale_of(chart.y, ys, plot.bottom, plot.top, 0.05);
  plot.left = left_edge(y);
  const Scale x = scale_of(chart.x, xs, plot.left, plot.right, 0);
  std::string text = axis_below(plot, x, chart.x.title) + axis_left(plot, y, chart.y.title);
  if (chart.diagonal) text += line(x.at(x.low()), y.at(x.low()), x.at(x.high()), y.at(x.high()), "diagonal");
  for (const double mark : chart.marks)
    if (mark > x.low() && mark < x.high()) text += line(x.at(mark), plot.top, x.at(mark), plot.bottom, "mark");
  std::vector<Name> names;
  std::string above;  // lines above the faint ones
  const int columns = std::clamp(all_columns / int(lines), 60, int(plot.right - plot.left));
  for (auto series = chart.series.rbegin(); series != chart.series.rend(); ++series) {
    std::vector<Point> points = thinned(series->points, xs.low, xs.high, columns);
    if (points.empty()) continue;
    if (const std::size_t half = chart.smooth ? smoothing(series->points) : 0; half > 0) {
      text += drawn(*series, points, x, y, false, true);
      points = thinned(smoothed(series->points, half, chart.y.rates), xs.low, xs.high, columns);
    }
    above += drawn(*series, points, x, y, chart.marked);
    names.push_back({&*series, {x.at(points.back().x), y.at(points.back().y)}});
  }
  text += above;
  for (const Reference& reference : chart.references) text += drawn(reference, plot, y);
  if (named) text += names_beside(names, plot);
  return picture(width, height, chart.title, text);
}

std::string draw(const Chart& chart) {
  const std::string picture = picture_of(chart);
  return picture.empty() ? "" : figure(chart.title, picture + note_of(chart));
}

}  // namespace tesserec::report
