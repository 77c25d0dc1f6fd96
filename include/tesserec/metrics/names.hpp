// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tesserec/metrics/binary.hpp>

namespace tesserec::metrics {

/// Returns every metric's name in decks and outputs, in the order of the documentation.
std::vector<std::string> names();

/// Returns the names of the metrics in SumMetrics.
std::vector<std::string> names_of_sums();

/// Returns the metrics of which more is better, or less. Neither list has calibration, which is best at 1, nor ctr,
/// which describes the data.
std::vector<std::string> more_is_better();
std::vector<std::string> less_is_better();

/// Returns whether the metric is in GroupMetrics.
bool needs_groups(const std::string& name);
/// Returns whether the metric is in CandidateMetrics.
bool needs_towers(const std::string& name);

/// Returns the metrics of samples with several labels: those of the label `task`, or the means over all labels if
/// `task` is empty. A mean is NaN if one of its values is. Throws Error, listing the labels, for an unknown `task`.
///   names, tasks [T]: the labels and their metrics
///   samples: number of samples
BinaryMetrics of_tasks(std::vector<std::string> names, std::vector<BinaryMetrics> tasks, const std::string& task,
                       Index samples);
/// Returns chosen() followed by each label's metrics, "LABEL.METRIC", if samples have several labels.
std::vector<std::pair<std::string, double>> chosen_of_all(const BinaryMetrics& metrics,
                                                          const std::vector<std::string>& names);
/// Returns name and value of each metric in `names`, in that order. Throws Error, listing the known names, if a name is
/// unknown.
std::vector<std::pair<std::string, double>> chosen(const BinaryMetrics& metrics, const std::vector<std::string>& names);

}  // namespace tesserec::metrics
