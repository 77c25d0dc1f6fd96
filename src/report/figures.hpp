// SPDX-License-Identifier: Apache-2.0
/// Figures of a page, as markup that is empty if no run has their data, and the page's links to files.
#pragma once

#include <string>

#include "runs.hpp"

namespace tesserec::report {

/// Links from the page to files, relative to the page's folder.
class Links {
 public:
  /// Takes the path of the page's file.
  explicit Links(const std::string& page);

  /// Makes an <a> around `content` (markup) to a file or folder; empty if the path does not exist.
  std::string operator()(const std::string& path, const std::string& content) const;
  /// Makes links to the files in a run's folder, and to its deck.
  std::string files_of(const std::string& folder, const Record& start) const;

 private:
  std::string folder_;  // absolute path of the page's folder
};

/// Shows loss, metrics, speed and learning rate, each over samples or time by its switch.
std::string curves(const Runs& runs);
/// Shows predicted and observed click rates, scores of clicks and other samples, and clicks among the highest scores.
std::string calibration(const Runs& runs);
/// Shows by how much the metrics of a run change when one feature's values are permuted.
std::string importances(const Runs& runs);
/// Shows how training changed each table, and the ids of the evaluation data.
std::string tables_figure(const Runs& runs);
/// Shows the caches of tables with kernel disk or host_cached: their hits, and the bytes that travel.
std::string caches(const Runs& runs);

/// Shows the occupancy of growing tables, and what became of ids and rows.
std::string growth(const Runs& runs);
/// Shows the time of a step of rank 0 by phase.
std::string phases(const Runs& runs);
/// Shows the bytes of a run's ranks, as planned and as measured: one table of all runs, and one picture a plan.
std::string memory(const Runs& runs);
/// Shows each plan once for the runs that share it: each rank's share of each table, and how full its memory is.
std::string plans(const Runs& runs);
/// Shows a sweep with a line for each point, over an axis for each key, to the metric.
std::string parallel_coordinates(const Sweep& sweep);

/// Shows how each run or point ended, with its keys, metrics, speed and files: as tiles if it is the only one, else as
/// a table.
std::string summary(const Runs& runs, const Links& links);
/// Shows the last lines of the logs of runs and points that did not end well.
std::string logs(const Runs& runs, const Links& links);
std::string table_of_shares(const Sweep& sweep);
/// Shows the keys of a run's deck that changed from one of its starts to a later one.
std::string table_of_changes(const Runs& runs);
/// Shows, key by key, in what the decks of runs differ, if that is too much for the summary.
std::string table_of_keys(const Runs& runs);
/// Shows versions, hosts, instruction set, ... of the runs.
std::string table_of_machines(const Runs& runs);
/// Shows the effective deck with all its keys, and the deck's file.
std::string deck(const Run& run);

/// Returns a key's value for people: text without quotes, numbers with at most eight digits.
std::string value_text(const Json& value);

/// Explains the scale of colors; empty without a metric.
std::string color_scale(const std::string& metric);

}  // namespace tesserec::report
