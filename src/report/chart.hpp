// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "scale.hpp"

namespace tesserec::report {

struct Point {
  double x = 0, y = 0;
};

/// A line of a chart; points in the order of x.
struct Series {
  std::string name;
  std::string css;  ///< class of its colour and dashes (page.cpp)
  std::vector<Point> points;
};

struct Axis {
  std::string title;  ///< with the unit: "samples (count)"
  Scale::Kind kind = Scale::Kind::linear;
  double low = 0, high = 0;  ///< equal = from the points
};

/// Lines over each other, the first on top; each named at its end where they are few and more than one.
struct Chart {
  std::string title;
  Axis x, y;
  std::vector<Series> series;
  bool diagonal = false;  ///< y = x too
};

/// At most four points a column of pixels, of `columns` between `low` and `high`: where there are more in all, the
/// first, the lowest, the highest and the last of each, so that no peak is lost. Points that are not finite are left
/// out.
std::vector<Point> thinned(const std::vector<Point>& points, double low, double high, int columns);

/// <figure>...</figure>; nothing where no series has a point.
std::string draw(const Chart& chart);

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
