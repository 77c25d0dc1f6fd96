// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/verdict/facts.hpp>
#include <tesserec/verdict/finding.hpp>

namespace tesserec::verdict {

/// Returns what is odd about data sets with these columns, in the order: files, rates, columns, rows. The first set is
/// the training data, if its name is "train".
std::vector<Finding> judge(const std::vector<const SetFacts*>& sets, const ColumnNames& columns);

/// Returns what is odd about one of several labels: click rates that drift, and columns that tell it. The facts are
/// those of the rows that have the label, of sets as judge() takes them.
std::vector<Finding> judge_label(const std::vector<const SetFacts*>& sets, const ColumnNames& columns);

/// AUC of a column alone above which it is said to tell the label.
inline constexpr double leaking_auc = 0.99;

/// Returns names that lack in a numbered or dated sequence of files, at most `most`, and their number. Names are
/// compared with the numbers in them: one number counts, or a date, and at least half of the sequence must be there.
struct MissingNames {
  std::vector<std::string> names;
  Index count = 0;
};
MissingNames missing_names(const std::vector<std::string>& paths, std::size_t most = 5);

/// Returns the AUC of a column alone over sampled rows, or of its opposite if that is larger: of a number by its value,
/// of a category by the click rates of its ids in one half of the rows, over the other half. Returns 0.5 if fewer than
/// 20 rows of a label are left to judge by.
double lone_auc(const std::vector<SampledRow>& rows, std::size_t dense, std::size_t column);

}  // namespace tesserec::verdict
