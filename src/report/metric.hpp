// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "chart.hpp"
#include "runs.hpp"

namespace tesserec::report {

/// Form in which a number of metrics.jsonl is shown.
struct Metric {
  std::string name;                           ///< "AUC", "log loss"
  std::string title;                          ///< "normalized entropy (NE)"
  std::string axis;                           ///< with its unit
  double least = -INFINITY, most = INFINITY;  ///< that it can be
  std::optional<bool> more;                   ///< whether more is better; none = neither
};

/// Returns the form of "auc", "window_log_loss", ...
Metric metric_of(const std::string& name);

/// Returns a metric's references: 1 for normalized entropy and calibration; for AUC the planted truth's, if shared.
std::vector<Reference> references_of(const Runs& runs, const std::string& name);

}  // namespace tesserec::report
