// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tesserec/metrics/binary.hpp>

namespace tesserec::metrics {

/// Every metric's name in decks and outputs, in the order of the documentation.
std::vector<std::string> names();

/// Lists the names of SumMetrics.
std::vector<std::string> names_of_sums();

/// Lists metrics of which more is better, or less: not calibration, which is good at 1, nor ctr, which is of the data.
std::vector<std::string> more_is_better();
std::vector<std::string> less_is_better();

/// Returns whether the metric is one of GroupMetrics.
bool needs_groups(const std::string& name);
/// Returns whether it is one of CandidateMetrics.
bool needs_towers(const std::string& name);

/// Name and value of each metric asked for, in that order. Error: an unknown name; those known are listed.
std::vector<std::pair<std::string, double>> chosen(const BinaryMetrics& metrics, const std::vector<std::string>& names);

}  // namespace tesserec::metrics
