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
    double samples = 0, steps = 0;
    std::string digest;           ///< of the weights
    double ended = 0;             ///< rungs that it has ended
    bool newer = false;           ///< point.json knows more than sweep.json
    std::string css = "nothing";  ///< class of its lines: by its place among those with a metric
  };
  /// Importance of a key: what it alone says of the metric.
  struct Key {
    std::string name, better;
    double share = 0;  ///< of the metric's variance; NaN = not known
  };
  std::string path;
  std::vector<Key> keys;
  std::string metric;
  bool less_is_better = false;
  std::size_t rungs = 1;
  std::string deck;            ///< its file
  std::size_t other_data = 0;  ///< points that ended on other data than the sweep had when it was collected
  std::vector<Point> points;   ///< as sweep.json ranks them: what came furthest first, of these the best first
};

/// Reads sweep.json and its points' newer facts, by which it ranks points anew and warns. Error names the file.
Sweep read_sweep(const std::string& folder, std::vector<std::string>& warnings);

/// Returns where the run of a point lies: as sweep.json says, or, where the sweep was moved, inside its folder.
std::string folder_of(const Sweep& sweep, const Sweep::Point& point);

/// Takes over what point.json files know and sweep.json lacks; if there is any, warns with the command to rewrite it.
void refresh(Sweep& sweep, std::vector<std::string>& warnings);

/// Runs that a page shows, and their colours.
struct Runs {
  static constexpr std::size_t few = 6;  ///< so many have a colour and dashes each; more share a scale of colours
  std::vector<Run> all;
  std::string scale;  ///< of many: the metric that the colours tell
  std::vector<Sweep> sweeps;
  bool many() const { return all.size() > few; }
};

/// Chooses runs' colours and orders many runs, best first: a sweep's as it ranks them, others by last AUC or loss.
void choose_colours(Runs& runs);

}  // namespace tesserec::report
