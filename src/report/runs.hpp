// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "run_folder.hpp"

namespace tesserec::report {

/// Sweep as sweep.json describes it, with its points.
struct Sweep {
  struct Point {
    std::string name, folder, state;
    std::vector<Json> values;  ///< value of each key
    double metric = 0;         ///< metric that ranks; NaN = none
    double samples = 0, steps = 0;
    std::string digest;           ///< digest of the weights
    double ended = 0;             ///< number of rungs that the point has ended
    bool newer = false;           ///< true if point.json is newer than sweep.json
    std::string css = "nothing";  ///< class of its lines, by its place among the points with a metric
  };
  /// Importance of a key by itself for the metric.
  struct Key {
    std::string name, better;
    double share = 0;  ///< share of the metric's variance; NaN = unknown
  };
  std::string path;
  std::vector<Key> keys;
  std::string metric;
  bool less_is_better = false;
  std::size_t rungs = 1;
  std::string deck;            ///< path of the deck
  std::size_t other_data = 0;  ///< points that ended on other data than the sweep had when collected
  std::vector<Point> points;   ///< points by rank: those that ended most rungs first, of these the best first
};

/// Reads sweep.json. Newer facts of its points change their ranking, with a warning. Throws Error naming the file.
Sweep read_sweep(const std::string& folder, std::vector<std::string>& warnings);

/// Returns the folder of a point's run: the path in sweep.json or, if the sweep was moved, a folder inside the sweep's.
std::string folder_of(const Sweep& sweep, const Sweep::Point& point);

/// Updates the points from newer point.json files. If any is newer, adds a warning with the command that rewrites
/// sweep.json.
void refresh(Sweep& sweep, std::vector<std::string>& warnings);

/// Runs that a page shows, and their scale of colors.
struct Runs {
  static constexpr std::size_t few = 6;  ///< most runs with a color and dashes each; more runs share a scale of colors
  std::vector<Run> all;
  std::string scale;  ///< metric that the scale of colors shows, if runs are many
  std::vector<Sweep> sweeps;
  bool many() const { return all.size() > few; }
};

/// Chooses the runs' colors. Orders many runs best first: a sweep's runs by its ranking, others by last AUC or loss.
void choose_colors(Runs& runs);

}  // namespace tesserec::report
