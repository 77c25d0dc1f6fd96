// SPDX-License-Identifier: Apache-2.0
/// By what the points of a sweep are compared.
#pragma once

#include <string>
#include <vector>

namespace tesserec::sweep {

/// Lists the metrics of an evaluation that have a better end; loss, of the training samples; and what a run costs.
std::vector<std::string> metric_names();

bool more_is_better(const std::string& metric);
/// Returns whether an evaluation gives it.
bool is_of_evaluation(const std::string& metric);
/// Returns whether it is a cost, another in each run of the same deck.
bool is_of_machine(const std::string& metric);

}  // namespace tesserec::sweep
