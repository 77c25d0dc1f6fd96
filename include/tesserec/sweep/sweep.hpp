// SPDX-License-Identifier: Apache-2.0
/// A sweep and what its folders hold; as text for people, CSV and JSON (docs/formats.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tesserec/core/json.hpp>
#include <tesserec/sweep/halving.hpp>
#include <tesserec/sweep/points.hpp>
#include <tesserec/sweep/record.hpp>

namespace tesserec::sweep {

/// A point's run.
struct Run {
  Point point;
  std::string label;
  std::string folder;                  ///< the sweep's folder, label, first 8 digits of the digest
  std::string digest;                  ///< deck_digest of the point's whole deck
  std::optional<Record> record;        ///< nothing: the point was not begun
  std::vector<std::string> data = {};  ///< files and globs of its training and evaluation data
  std::string data_digest = {};        ///< of these files now; empty where none is there
};

struct Sweep {
  std::string deck;    ///< its file
  std::string folder;  ///< run.output of the deck
  Settings settings;
  std::vector<Index> rungs;  ///< steps; to_the_end alone without halving
  std::vector<Run> runs;     ///< by index

  bool more_is_better() const;
  /// The metric at the end of a rung: nothing where the point has not come so far, not a number where it diverged.
  std::optional<double> value(Index point, std::size_t rung) const;
  /// At the last rung that the point has ended; not a number before the first.
  double last_value(Index point) const;
  /// Returns the outcome of the point's last rung; null before the first ends.
  const Outcome* last(Index point) const;
  Standing standing() const;
};

/// "missing", "started", "diverged", "stopped" (halving took its time for others) or "done".
std::string state(const Sweep& sweep, const Standing& standing, Index point);

/// Points that ended on other data than their files hold now: their values do not compare with new ones.
std::vector<Index> of_other_data(const Sweep& sweep);

/// All points, those that came furthest first, of these the best first.
std::vector<Index> order(const Sweep& sweep);

/// The points by index, before anything is trained: index, folder's name, overrides; the rungs.
std::string list_text(const Sweep& sweep);
Json list_json(const Sweep& sweep);

/// Tells what they came to, the best first; what is missing; which keys mattered.
std::string summary_text(const Sweep& sweep);
std::string summary_csv(const Sweep& sweep);
Json summary_json(const Sweep& sweep);

}  // namespace tesserec::sweep
