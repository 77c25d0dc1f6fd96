// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace tesserec::report {

/// First value of metrics.jsonl in which two runs differ.
struct CurveDifference {
  bool evaluation = false;  ///< a line of an evaluation, not of training
  std::string metric;
  double step = 0;
  double a = 0, b = 0;
  double equal_until = 0;  ///< last step before it with a line in both runs; 0 = none
};

/// Compares the training loss and the evaluations of two runs' folders, step by step, at the steps that both have. A
/// loss is a mean since the line before, so losses of lines that cover other steps are not compared.
/// Returns nothing if they are equal. Throws Error as make_page() does for a folder that is none of a run's.
std::optional<CurveDifference> first_difference(const std::string& a, const std::string& b);

}  // namespace tesserec::report
