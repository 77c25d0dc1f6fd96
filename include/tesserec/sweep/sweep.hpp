// SPDX-License-Identifier: Apache-2.0
/// Sweep with the records in its folders, and its text for people, CSV and JSON (docs/formats.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tesserec/core/json.hpp>
#include <tesserec/sweep/halving.hpp>
#include <tesserec/sweep/points.hpp>
#include <tesserec/sweep/record.hpp>

namespace tesserec::sweep {

/// Run of a point.
struct Run {
  Point point;
  std::string label;
  std::string folder;                  ///< path: the sweep's folder, the label, the first 8 digits of the digest
  std::string digest;                  ///< deck_digest of the point's whole deck
  std::optional<Record> record;        ///< record; nothing = the point has not begun
  std::vector<std::string> data = {};  ///< files and globs of its training and evaluation data
  std::string data_digest = {};        ///< current digest of these files; empty = no files
};

/// Sweep: its settings and the runs of its points.
struct Sweep {
  std::string deck;    ///< path of the deck
  std::string folder;  ///< run.output of the deck
  Settings settings;
  std::vector<Index> rungs;  ///< steps of the rungs; without halving only to_the_end
  std::vector<Run> runs;     ///< runs by index of the point

  /// Returns whether larger values of the sweep's metric are better.
  bool more_is_better() const;
  /// Returns the metric at the end of a rung: nothing if the point has not reached it, NaN if it diverged.
  std::optional<double> value(Index point, std::size_t rung) const;
  /// Returns the metric at the last rung that the point has ended, or NaN before the first.
  double last_value(Index point) const;
  /// Returns the outcome of the last rung that the point has ended, or null before the first.
  const Outcome* last(Index point) const;
  /// Computes the standing of the sweep from its records.
  Standing standing() const;
};

/// Returns "missing", "started", "diverged", "stopped" (by halving) or "done".
std::string state(const Sweep& sweep, const Standing& standing, Index point);

/// Lists the points that ended on data other than the current content of their files, so that their values are not
/// comparable with new ones.
std::vector<Index> of_other_data(const Sweep& sweep);

/// Lists all points, ordered by the number of rungs that they ended, most first, then by value, best first.
std::vector<Index> order(const Sweep& sweep);

/// Lists the points by index before training: index, overrides and folder, then the rungs.
std::string list_text(const Sweep& sweep);
/// Lists the points and rungs as JSON.
Json list_json(const Sweep& sweep);

/// Summarizes the results as text: the points, best first, the missing points, and the importance of the keys.
std::string summary_text(const Sweep& sweep);
/// Summarizes the points as CSV, best first.
std::string summary_csv(const Sweep& sweep);
/// Summarizes the results as JSON.
Json summary_json(const Sweep& sweep);

}  // namespace tesserec::sweep
