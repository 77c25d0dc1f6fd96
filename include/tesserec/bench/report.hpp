// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tesserec/planning/settings.hpp>

namespace tesserec::bench {

/// Measurement on each rank while all ranks do the same: the slowest rank's value, the median of the repeats.
struct Figure {
  std::string group;  ///< "limits", "layers", ...
  std::string name;
  double rate = 0;
  std::string unit;         ///< unit of rate: "FLOP/s", "bytes/s", "rows/s", "samples/s", "1/s"
  double limit = 0;         ///< rate of which the machine is capable, in the same unit; 0 = the figure is a limit
                            ///< itself
  std::string bound;        ///< name of that limit
  double step_seconds = 0;  ///< seconds of a step that this part takes; 0 = no part of the step
  /// Returns rate over limit; 0 without a limit.
  double fraction() const { return limit > 0 ? rate / limit : 0; }
};

/// Findings of `tesserec bench`.
struct Report {
  int ranks = 1;
  int ranks_per_node = 1;
  std::vector<Figure> figures;
  double step_seconds = 0;      ///< time of a whole step of the deck, seconds
  double samples_per_step = 0;  ///< samples of a step, over all ranks
  double step_fraction = 0;     ///< model FLOP/s of the whole step over the measured peak of all ranks
  std::string bottleneck;       ///< part that loses most time against its limit
  planning::MachineCosts costs;
  std::vector<std::string> cost_keys;  ///< keys of `costs` that were measured here

  /// Returns the figure of this group and name; null if there is none.
  const Figure* find(const std::string& group, const std::string& name) const;
};

/// Returns a table for people: each part with its limit, the step's budget, the bottleneck.
std::string describe(const Report& report);

/// Returns the measured constants, by their names in [plan.costs].
std::vector<std::pair<std::string, double>> measured_costs(const Report& report);

/// Returns the measured constants as keys of [plan.costs], the file that plan.machine reads. `head` is its first line,
/// a comment.
std::string machine_toml(const Report& report, const std::string& head);

}  // namespace tesserec::bench
