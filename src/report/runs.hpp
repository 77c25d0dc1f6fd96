// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "run_folder.hpp"

namespace tesserec::report {

/// Points of a sweep: sweep.json.
struct Sweep {
  struct Point {
    std::string name, folder, state;
    std::vector<Json> values;  ///< one a key
    double metric = 0;         ///< NaN = none
    double samples = 0;
  };
  /// What the key alone says of the metric.
  struct Key {
    std::string name, better;
    double share = 0;  ///< of the metric's variance; NaN = not known
  };
  std::string path;
  std::vector<Key> keys;
  std::string metric;
  bool less_is_better = false;
  std::vector<Point> points;
};

/// sweep.json of a folder. Error, naming the file: it is none.
Sweep read_sweep(const std::string& folder);

/// What a page shows, and in which colours.
struct Runs {
  static constexpr std::size_t few = 6;  ///< so many have a colour and dashes each; more share a scale of colours
  std::vector<Run> all;
  std::vector<std::string> css;  ///< class of each run's lines
  std::string scale;             ///< of many: the metric that the colours tell, the last value
  std::vector<Sweep> sweeps;
  bool many() const { return all.size() > few; }
};

/// Class of place `place` (0 = the best) of `count` on the scale of colours.
std::string scale_css(std::size_t place, std::size_t count);

/// Gives each run its colour; many are put into the order of their places, the best last, so that it is drawn on top.
void choose_colours(Runs& runs);

/// The runs' order, best first; those without the metric come last.
std::vector<std::size_t> best_first(const std::vector<double>& values, bool less);

}  // namespace tesserec::report
