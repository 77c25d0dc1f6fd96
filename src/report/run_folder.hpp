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

/// One number of metrics.jsonl, line after line. What has no value there is NaN.
struct Curve {
  std::vector<double> steps;    ///< done so far
  std::vector<double> samples;  ///< trained so far
  std::vector<double> seconds;  ///< since the run's first step
  std::vector<double> values;
};

/// A start of a run: `starts` of run.json.
struct Start {
  std::string time;  ///< UTC, "2026-01-02T03:04:05Z"
  double from_step = 0;
  std::string deck;  ///< the effective one; empty = as that of the next start
  double gap = 0;    ///< seconds since the last line of metrics.jsonl before it; NaN = not known
};

/// A value and the steps done when it was measured.
struct BestValue {
  double value, step;
};

/// Seconds since 1970 of "2026-01-02T03:04:05Z"; NaN where it is something else.
double seconds_of(const std::string& utc);

/// Content of a run's folder (docs/formats.md).
struct Run {
  std::string folder;
  std::string name;                       ///< the last part of the folder's path
  Record start;                           ///< run.json
  Record result;                          ///< result.json of the newest start; none while it runs, and after a crash
  Record importance;                      ///< importance.json
  std::vector<Start> starts;              ///< oldest first; none where run.json does not know them
  store::RunEnd end;                      ///< how it ended, or that it runs
  std::map<std::string, Curve> train;     ///< by the names in metrics.jsonl: "loss", ...
  std::map<std::string, Curve> evaluate;  ///< "auc", ...
  std::vector<std::string> metrics;       ///< the names of `evaluate`, in the order of the file
  double steps = 0, samples = 0;          ///< as far as any file knows
  double evaluated = NAN;                 ///< step of the last evaluation; NaN = none
  double begin = NAN;                     ///< seconds since 1970 of the first step
  bool cut = false;                       ///< the last line is not whole, and left out
  std::string css;                        ///< class of its lines (choose_colours)

  /// The last value of a curve that is there and finite; NaN without one.
  double last(const std::string& metric) const;
  /// The best of a metric of evaluations, more or less being better; none without a value.
  std::optional<BestValue> best(const std::string& metric, bool more) const;
  /// The mean training loss since the last line of metrics.jsonl, or of that line.
  double closing_loss() const;
};

/// Errors, naming the file: no metrics.jsonl; no line in it and no run.json; a line before the last that is no JSON;
/// run.json, result.json or point.json that are none.
Run read_run(const std::string& folder);

/// The last lines of a text file, each shortened; none where it cannot be read.
std::deque<std::string> log_tail(const std::string& path);

/// The last message of the program in them, without its name; empty where there is none.
std::string last_message(const std::string& path);

/// Returns samples a second between log lines, by the clock minus evaluations between them: a stall is a dip. A start's
/// first line has its mean so far. NaN if no time passed. Intervals with an evaluation take the steps' time alone.
Curve speed_between_lines(const Run& run);

}  // namespace tesserec::report
