// SPDX-License-Identifier: Apache-2.0
/// Metrics by which the points of a sweep are compared.
#pragma once

#include <string>
#include <vector>

namespace tesserec::sweep {

/// Lists the metrics of an evaluation that have a better end, then loss (of the training samples), then the costs of a
/// run.
std::vector<std::string> metric_names();

/// Returns whether larger values are better.
bool more_is_better(const std::string& metric);
/// Returns whether an evaluation computes the metric.
bool is_of_evaluation(const std::string& metric);
/// Returns whether the metric is a cost, which differs between runs of the same deck.
bool is_of_machine(const std::string& metric);

}  // namespace tesserec::sweep
