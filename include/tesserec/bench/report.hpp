// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tesserec/planning/settings.hpp>

namespace tesserec::bench {

/// One measurement of one rank while all ranks do the same; the slowest rank's, the median of the repeats.
struct Figure {
  std::string group;  ///< "limits", "layers", ...
  std::string name;
  double rate = 0;
  std::string unit;         ///< of rate: "FLOP/s", "bytes/s", "rows/s", "samples/s", "1/s"
  double limit = 0;         ///< what the machine could do, in the same unit; 0 = is a limit itself
  std::string bound;        ///< which limit that is
  double step_seconds = 0;  ///< share of a step that this part takes; 0 = no part of the step
  double fraction() const { return limit > 0 ? rate / limit : 0; }
};

/// Findings of `tesserec bench`.
struct Report {
  int ranks = 1;
  int ranks_per_node = 1;
  std::vector<Figure> figures;
  double step_seconds = 0;      ///< a whole step of the deck, s
  double samples_per_step = 0;  ///< of all ranks
  double step_fraction = 0;     ///< model FLOP/s of the whole step over the measured peak of all ranks
  std::string bottleneck;       ///< the part that loses most time against its limit
  planning::MachineCosts costs;
  std::vector<std::string> cost_keys;  ///< those of `costs` that were measured here

  const Figure* find(const std::string& group, const std::string& name) const;
};

/// As a table for people: each part beside its limit, the step's budget, the bottleneck.
std::string describe(const Report& report);

/// The constants that were measured, by their names in [plan.costs].
std::vector<std::pair<std::string, double>> measured_costs(const Report& report);

/// The constants as keys of [plan.costs], what plan.machine reads. Only those that were measured.
std::string machine_toml(const Report& report, const std::string& head);

}  // namespace tesserec::bench
