// SPDX-License-Identifier: Apache-2.0
/// The figures of a page, each as markup, empty where no run has what it shows; and their links to files.
#pragma once

#include <string>

#include "runs.hpp"

namespace tesserec::report {

/// Links from the page to files, relative to the page's folder.
class Links {
 public:
  /// `page`: the page's file.
  explicit Links(const std::string& page);

  /// <a> around `content` (markup) to a file or folder; empty where there is none.
  std::string operator()(const std::string& path, const std::string& content) const;
  /// Links to what lies in a run's folder, and to its deck.
  std::string files_of(const std::string& folder, const Record& start) const;

 private:
  std::string folder_;  // absolute
};

/// Loss, metrics, speed and learning rate, each over samples or time by its switch.
std::string curves(const Runs& runs);
/// Predicted against observed click rate; scores of clicks and of other samples; clicks among the highest scores.
std::string calibration(const Runs& runs);
/// Shows by how much the metrics of a run change where one feature's values are permuted.
std::string importances(const Runs& runs);
/// Shows what training made of each table, and the ids of the evaluation data.
std::string learnt(const Runs& runs);
/// Shows what a step of rank 0 is made of.
std::string phases(const Runs& runs);
/// Bytes of a run's ranks, by the plan and as measured: a table of all runs, and a picture of each plan.
std::string memory(const Runs& runs);
/// Shows each plan, once for the runs that share it: how much of each table each rank holds, and how full it is.
std::string plans(const Runs& runs);
/// A line a point of a sweep, over an axis a key, to the metric.
std::string parallel_coordinates(const Sweep& sweep);

/// Shows how each run or point ended, with its keys, metrics, speed and files: tiles of one, a table of several.
std::string summary(const Runs& runs, const Links& links);
/// The last lines of the logs of what did not end well.
std::string logs(const Runs& runs, const Links& links);
std::string table_of_shares(const Sweep& sweep);
/// Keys of a run's deck that changed from one of its starts to a later one.
std::string table_of_changes(const Runs& runs);
/// Versions, hosts, instruction set, ... of the runs.
std::string table_of_machines(const Runs& runs);
/// The deck with all its keys, and its file.
std::string deck(const Run& run);

/// A value of a key for people: text without quotes, numbers with at most eight digits.
std::string value_text(const Json& value);

/// Explains the scale of colours, where there are many runs.
std::string colour_scale(const std::string& metric);

}  // namespace tesserec::report
