// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record.hpp"
#include <tesserec/store/run_end.hpp>

namespace tesserec::report {

/// Values of one metric in the lines of metrics.jsonl; NaN if a line has no value.
struct Curve {
  std::vector<double> steps;    ///< steps done so far
  std::vector<double> samples;  ///< samples trained so far
  std::vector<double> seconds;  ///< seconds since the run's first step
  std::vector<double> values;
};

/// Start of a run, an element of `starts` in run.json.
struct Start {
  std::string time;  ///< UTC, "2026-01-02T03:04:05Z"
  double from_step = 0;
  std::string deck;  ///< effective deck; empty = the same as that of the next start
  double gap = 0;    ///< seconds since the last line of metrics.jsonl before the start; NaN = unknown
};

/// Value of a metric, and the steps done when it was measured.
struct BestValue {
  double value, step;
};

/// Parses "2026-01-02T03:04:05Z" as seconds since 1970; NaN for any other text.
double seconds_of(const std::string& utc);

/// Content of a run's folder (docs/formats.md).
struct Run {
  std::string folder;
  std::string name;                       ///< last component of the folder's path
  Record start;                           ///< run.json
  Record result;                          ///< result.json of the newest start; empty before the end and after a crash
  Record importance;                      ///< importance.json
  std::vector<Start> starts;              ///< starts, oldest first; empty if run.json has none
  store::RunEnd end;                      ///< end of the run, or that it still runs
  std::map<std::string, Curve> train;     ///< curves by name in metrics.jsonl: "loss", ...
  std::map<std::string, Curve> evaluate;  ///< curves by name: "auc", ...
  std::map<std::string, Curve> windows;   ///< curves by name, of windows before the model was trained on them
  std::vector<std::string> metrics;       ///< names of `evaluate`, in the order of the file
  double steps = 0, samples = 0;          ///< latest counts in any file
  double evaluated = NAN;                 ///< step of the last evaluation; NaN = none
  double begin = NAN;                     ///< seconds since 1970 of the first step
  bool cut = false;                       ///< true if the last line was incomplete, and ignored
  std::string css;                        ///< class of its lines (choose_colors)

  /// Returns the last finite value of a curve, of evaluations first; NaN without one.
  double last(const std::string& metric) const;
  /// Returns the best finite value of an evaluation metric; nothing without one. `more`: true if more is better.
  std::optional<BestValue> best(const std::string& metric, bool more) const;
  /// Returns the mean training loss since the last line of metrics.jsonl, or of that line.
  double closing_loss() const;
};

/// Reads a run's folder. Throws Error naming the file if metrics.jsonl is missing, or has no line while run.json is
/// missing. A line before the last one, or another file, that is not JSON is an Error, too.
Run read_run(const std::string& folder);

/// Returns the last lines of a text file, each shortened; empty if the file cannot be read.
std::deque<std::string> log_tail(const std::string& path);

/// Returns the last message of the program in a log's last lines, without the program's name; empty without one.
std::string last_message(const std::string& path);

/// Returns the samples per second between log lines, without the time of evaluations, so that a stall shows as a dip.
/// Intervals with an evaluation inside use the steps' time alone. A start's first line has its mean so far. NaN if no
/// time passed.
Curve speed_between_lines(const Run& run);

}  // namespace tesserec::report
