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

/// A line of a chart; points in the order of x.
struct Series {
  std::string name;
  std::string css;  ///< class of its colour and dashes (report.cpp)
  std::vector<Point> points;
  bool diverged = false;  ///< its values do not widen the axis of the others: beyond it the line follows the edge
};

struct Axis {
  std::string title;  ///< with the unit, where there is one: "speed (samples/s)"
  Scale::Kind kind = Scale::Kind::linear;
  double low = 0, high = 0;                   ///< equal = from the points
  double least = -INFINITY, most = INFINITY;  ///< of any value: the axis never reaches beyond
  bool rates = false;                         ///< samples a second: the mean of several is harmonic
};

/// A value to compare a chart's lines with.
struct Reference {
  double value;
  std::string text;
};

/// Lines over each other, the first on top; each named at its end where they are few and more than one.
struct Chart {
  std::string title;
  Axis x, y;
  std::vector<Series> series;
  bool diagonal = false;                   ///< y = x too
  bool smooth = false;                     ///< long series: running means over a faint line of all points
  bool marked = true;                      ///< few points are marked one by one
  std::vector<Reference> references = {};  ///< of y
  std::vector<double> marks = {};          ///< of x: upright lines
};

/// Returns at most four points a column of pixels, `columns` between `low` and `high`: first, lowest, highest, last, so
/// that peaks stay. Drops points that are not finite.
std::vector<Point> thinned(const std::vector<Point>& points, double low, double high, int columns);

/// Points of a running mean on each side of the middle: 0 = the series is too short to need one.
std::size_t smoothing(const std::vector<Point>& points);
/// Averages each point with up to `half` on both sides, symmetrically, so ends stay; rates harmonically.
std::vector<Point> smoothed(const std::vector<Point>& points, std::size_t half, bool rates = false);
/// Says what `smooth` does to the chart's lines, and which lines leave it; nothing where neither happens.
std::string note_of(const Chart& chart);

/// The chart as SVG; nothing where no series has two points: one value is a number, for a table.
std::string picture_of(const Chart& chart);
/// The same as <figure>...</figure>.
std::string draw(const Chart& chart);
/// One figure of several pictures, of which one is shown: a switch beside the heading changes it. Each has its word in
/// the switch; pictures that are empty are left out. `note` (markup) stands below.
std::string switched(const std::string& title, std::vector<std::pair<std::string, std::string>> pictures,
                     const std::string& note = "");

/// A figure around a picture: heading and, where there is one, what explains it (markup).
std::string figure(const std::string& title, const std::string& picture, const std::string& legend = "",
                   const std::string& css = "");

/// Frame of a picture's axes: grid, numbers, titles. The plot lies between the scales' pixels.
struct Plot {
  double left, right, top, bottom;
};
std::string axis_below(const Plot& plot, const Scale& scale, const std::string& title);
/// Returns where a plot begins, in pixels: right of axis_left's title and numbers, whatever their lengths.
double left_edge(const Scale& scale);
std::string axis_left(const Plot& plot, const Scale& scale, const std::string& title);

}  // namespace tesserec::report
