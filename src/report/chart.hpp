// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "scale.hpp"

namespace tesserec::report {

struct Point {
  double x = 0, y = 0;
};

/// Line of a chart, with its points in the order of x.
struct Series {
  std::string name;
  std::string css;  ///< class of its color and dashes (report.cpp)
  std::vector<Point> points;
  bool diverged = false;  ///< true = its values do not widen the y axis; beyond the axis the line follows the edge
};

struct Axis {
  std::string title;  ///< title with the unit, if any: "speed (samples/s)"
  Scale::Kind kind = Scale::Kind::linear;
  double low = 0, high = 0;                    ///< ends of the axis; equal = from the points
  double lower = -INFINITY, upper = INFINITY;  ///< bounds of any value, which the axis never exceeds
  bool rates = false;                          ///< true = values are rates, whose mean is harmonic
};

/// Value to compare a chart's lines with.
struct Reference {
  double value;
  std::string text;
};

/// Chart of lines, the first one on top. Each line has its name at its end if lines are few and more than one.
struct Chart {
  std::string title;
  Axis x, y;
  std::vector<Series> series;
  bool diagonal = false;                   ///< true = draws y = x, too
  bool smooth = false;                     ///< true = long series are running means over a faint line of all points
  bool marked = true;                      ///< true = few points are marked one by one
  std::vector<Reference> references = {};  ///< values of y
  std::vector<double> marks = {};          ///< values of x with a vertical line
};

/// Keeps at most four points (first, lowest, highest, last) in each of `columns` columns of pixels between `low` and
/// `high`, so that peaks stay. Drops points that are not finite.
std::vector<Point> thinned(const std::vector<Point>& points, double low, double high, int columns);

/// Returns the points of a running mean on each side of its middle; 0 = the series is too short to need one.
std::size_t smoothing(const std::vector<Point>& points);
/// Averages each point with up to `half` points on both sides, symmetrically, so that the ends stay; rates
/// harmonically.
std::vector<Point> smoothed(const std::vector<Point>& points, std::size_t half, bool rates = false);
/// Returns a note on what `smooth` does to the chart's lines and how many lines diverged; empty if neither applies.
std::string note_of(const Chart& chart);

/// Draws the chart as SVG. Returns nothing if no series has two points, because a table shows one value better.
std::string picture_of(const Chart& chart);
/// Draws the chart as <figure>...</figure>.
std::string draw(const Chart& chart);
/// Makes a figure of several pictures, of which it shows one. A switch beside the heading selects it by its word. Empty
/// pictures are left out. `note` (markup) stands below.
std::string switched(const std::string& title, std::vector<std::pair<std::string, std::string>> pictures,
                     const std::string& note = "");

/// Makes a figure around a picture: its heading and, unless empty, a legend (markup).
std::string figure(const std::string& title, const std::string& picture, const std::string& legend = "",
                   const std::string& css = "");

/// Area of a picture between the axes, in pixels. The functions below draw grid, numbers and titles around it.
struct Plot {
  double left, right, top, bottom;
};
std::string axis_below(const Plot& plot, const Scale& scale, const std::string& title);
/// Returns the left edge of a plot, in pixels, right of the title and numbers that axis_left() draws.
double left_edge(const Scale& scale);
std::string axis_left(const Plot& plot, const Scale& scale, const std::string& title);

}  // namespace tesserec::report
