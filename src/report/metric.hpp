// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "chart.hpp"
#include "runs.hpp"

namespace tesserec::report {

/// Presentation of a metric of metrics.jsonl.
struct Metric {
  std::string name;                            ///< "AUC", "log loss"
  std::string title;                           ///< "normalized entropy (NE)"
  std::string axis;                            ///< title of the axis, with the unit
  double lower = -INFINITY, upper = INFINITY;  ///< bounds of its values
  std::optional<bool> more;                    ///< true if more is better; nothing = neither end is better
};

/// Returns the presentation of "auc", "window_log_loss", ...
Metric metric_of(const std::string& name);

/// Returns a metric's references: 1 for normalized entropy and calibration. For AUC it is the AUC of the planted truth,
/// if all runs have the same.
std::vector<Reference> references_of(const Runs& runs, const std::string& name);

}  // namespace tesserec::report
