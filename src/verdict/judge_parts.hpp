// SPDX-License-Identifier: Apache-2.0
/// Parts of judge().
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/text.hpp>
#include <tesserec/verdict/judge.hpp>

namespace tesserec::verdict {

/// Returns a share as a text in percent.
inline std::string percent(double share) { return significant(100 * share, 3) + " %"; }

/// Returns a label's name and a space, for a sentence; "" if it is not known.
inline std::string label_words(const std::string& label) { return label.empty() ? "" : label + " "; }

/// Appends what is odd about the files: names that lack, equal contents, members, numbers of rows.
void judge_files(const std::vector<const SetFacts*>& sets, std::vector<Finding>& findings);
/// Appends drifts of click rates between the files of a set, and from `train` to other sets.
void judge_rates(const std::vector<const SetFacts*>& sets, std::vector<Finding>& findings);
/// Appends drifts of click rates and of missing shares between the files of a set, and from `train` to other sets.
void judge_drift(const std::vector<const SetFacts*>& sets, const ColumnNames& columns, std::vector<Finding>& findings);

}  // namespace tesserec::verdict
