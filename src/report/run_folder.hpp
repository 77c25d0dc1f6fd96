// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "record.hpp"

namespace tesserec::report {

/// One number of metrics.jsonl, line after line. What has no value there is NaN.
struct Curve {
  std::vector<double> samples;  ///< trained so far
  std::vector<double> seconds;  ///< since the run's first step
  std::vector<double> values;
};

/// What a run's folder says (docs/formats.md).
struct Run {
  std::string folder;
  std::string name;                       ///< the last part of the folder's path
  Record start;                           ///< run.json
  Record result;                          ///< result.json; none while it runs, and after a crash
  bool diverged = false;                  ///< as point.json of a sweep's point has it
  std::map<std::string, Curve> train;     ///< by the names in metrics.jsonl: "loss", ...
  std::map<std::string, Curve> evaluate;  ///< "auc", ...
  std::vector<std::string> metrics;       ///< the names of `evaluate`, in the order of the file
  double steps = 0, samples = 0;          ///< of the last line
  bool cut = false;                       ///< the last line is not whole, and left out
  std::string css;                        ///< class of its lines (choose_colours)

  /// The last value of a curve that is there and finite; NaN without one.
  double last(const std::string& metric) const;
  /// "finished", "signal 15", "running or crashed": what result.json says, or "diverged".
  std::string end() const;
};

/// Errors, naming the file: no metrics.jsonl, or no line in it; a line before the last that is no JSON; run.json,
/// result.json or point.json that are none.
Run read_run(const std::string& folder);

}  // namespace tesserec::report
