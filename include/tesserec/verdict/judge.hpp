// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/verdict/facts.hpp>
#include <tesserec/verdict/finding.hpp>

namespace tesserec::verdict {

/// Returns what is odd about data sets with these columns, in the order: files, labels, rates, columns, rows. The first
/// set is the training data, if its name is "train".
std::vector<Finding> judge(const std::vector<const SetFacts*>& sets, const ColumnNames& columns);

/// Returns what is odd about one of several labels: one value, click rates that drift, columns that tell it. The facts
/// are those of the rows that have the label, of sets as judge() takes them.
std::vector<Finding> judge_label(const std::vector<const SetFacts*>& sets, const ColumnNames& columns);

/// Rows and how many of them are hits.
struct RowShare {
  Index hits = 0, rows = 0;

  double share() const { return double(hits) / double(std::max(rows, Index{1})); }
  RowShare operator+(const RowShare& other) const { return {hits + other.hits, rows + other.rows}; }
};

/// Rows of a set by a label.
struct LabelCounts {
  RowShare ones;  ///< rows with label 1 among those that have it
  Index all = 0;  ///< all rows, also those that lack it
};

/// Appends that a label has one value in all rows that have it, of ten rows and more, or that no row has it. `set`:
/// SetFacts::name; `label`: SetFacts::label.
void judge_label_values(const std::string& set, const std::string& label, const LabelCounts& rows,
                        std::vector<Finding>& findings);

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
