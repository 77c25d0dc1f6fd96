// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tesserec/core/json.hpp>

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
  std::optional<Json> start;              ///< run.json
  std::optional<Json> result;             ///< result.json; none while it runs, and after a crash
  std::map<std::string, Curve> train;     ///< by the names in metrics.jsonl: "loss", ...
  std::map<std::string, Curve> evaluate;  ///< "auc", ...
  std::vector<std::string> metrics;       ///< the names of `evaluate`, in the order of the file
  double steps = 0;                       ///< of the last line
  bool cut = false;                       ///< the last line is not whole, and left out

  /// The last value of a curve that is there and finite; NaN without one.
  double last(const std::string& metric) const;
  /// "finished", "signal 15", "running or crashed": what result.json says.
  std::string end() const;
};

/// Errors, naming the file: no metrics.jsonl, or no line in it; a line before the last that is no JSON; run.json or
/// result.json that are none.
Run read_run(const std::string& folder);

/// The whole file. Error when it cannot be read.
std::string read_text(const std::string& path);

/// A member's number or text, whatever lies on the way; what is not there is NaN or empty.
double number_in(const std::optional<Json>& json, std::initializer_list<const char*> path);
std::string text_in(const std::optional<Json>& json, std::initializer_list<const char*> path);
/// The member itself, or none.
const Json* member_of(const std::optional<Json>& json, std::initializer_list<const char*> path);
/// The numbers of an array, integers too; what is no number in it is NaN.
std::vector<double> numbers(const Json& array);

}  // namespace tesserec::report
