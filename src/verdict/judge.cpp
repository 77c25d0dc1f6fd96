// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "judge_parts.hpp"
#include <tesserec/verdict/judge.hpp>

namespace tesserec::verdict {
namespace {

constexpr Index fewest_rows = 10;      // rows below which a column may be constant by chance
constexpr Index fewest_compared = 50;  // sampled evaluation rows from which their overlap is told
constexpr double some_overlap = 0.05, most_overlap = 0.5;

void judge_constant(const SetFacts& train, const ColumnNames& columns, std::vector<Finding>& findings) {
  if (train.all_rows() < fewest_rows || train.ranges.empty()) return;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const bool indicator = c < columns.dense.size() && columns.indicator[c];
    if (indicator || !train.ranges[c].constant()) continue;
    const bool no_ids = c >= columns.dense.size() && train.ranges[c].high == 0;
    std::string what = "one value", advice = "leave it out, or look for what it lost";
    if (train.ranges[c].low > train.ranges[c].high) what = "no value";
    if (no_ids) {
      what = "id 0, of missing and rare values,";
      advice = "lower preprocess.minimum_count, or leave it out";
    }
    findings.push_back({.severity = Severity::warning,
                        .kind = "constant_column",
                        .text = concat("column ", columns[c], " has ", what, " in all ", train.all_rows(),
                                       " training rows, so nothing can be learned from it; ", advice),
                        .columns = {columns[c]},
                        .files = {}});
  }
}

void judge_leaks(const SetFacts& train, const ColumnNames& columns, std::vector<Finding>& findings) {
  if (!train.labelled) return;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const double auc = lone_auc(train.rows, columns.dense.size(), c);
    if (auc <= leaking_auc) continue;
    findings.push_back(
        {.severity = Severity::error,
         .kind = "leaking_column",
         .text = concat("column ", columns[c], " tells the label ", label_words(train.label), "by itself (AUC ",
                        significant(auc, 4), "); leave it out, unless it is known before the label is"),
         .columns = {columns[c]},
         .files = {},
         .figures = {{"auc", auc}}});
  }
}

/// Compares the sampled rows of two sets, by their digests: labels do not count.
void judge_overlap(const SetFacts& train, const SetFacts& other, std::vector<Finding>& findings) {
  const std::uint64_t limit = std::min(train.limit, other.limit);
  std::map<std::uint64_t, Index> counts;
  Index taught = 0, repeated = 0, compared = 0, shared = 0;
  for (const SampledRow& row : train.rows) {
    if (row.digest > limit) break;
    counts[row.digest] = row.count();
    taught += row.count();
    if (row.count() > 1) repeated += row.count();
  }
  for (const SampledRow& row : other.rows) {
    if (row.digest > limit) break;
    compared += row.count();
    if (counts.count(row.digest) != 0) shared += row.count();
  }
  if (compared < fewest_compared || taught == 0) return;
  // Rows that are alike among the training rows are alike by chance: as many are in any other part of the data.
  const double share = double(shared) / double(compared), chance = double(repeated) / double(taught);
  if (share - chance <= some_overlap) return;
  findings.push_back({.severity = share - chance > most_overlap ? Severity::error : Severity::warning,
                      .kind = "overlap",
                      .text = concat(percent(share), " of the rows of ", other.name, " are training rows, too, where ",
                                     percent(chance), " would be chance; split the data anew, or metrics will flatter"),
                      .columns = {},
                      .files = {},
                      .figures = {{"share", share}, {"chance", chance}, {"compared_rows", double(compared)}}});
}

void judge_label_values(const std::vector<const SetFacts*>& sets, std::vector<Finding>& findings) {
  for (const SetFacts* set : sets)
    if (set->labelled)
      verdict::judge_label_values(set->name, set->label,
                                  {{set->all_positives(), set->all_rows() - set->all_unlabelled()}, set->all_rows()},
                                  findings);
}

/// Finds sets and files of which no row weighs anything.
void judge_weights(const std::vector<const SetFacts*>& sets, std::vector<Finding>& findings) {
  for (const SetFacts* set : sets) {
    const bool whole = set->all_weightless() > 0 && set->all_weightless() == set->all_rows();
    const std::vector<std::string> column(set->weight.empty() ? 0 : 1, set->weight);
    const auto add = [&](Severity severity, const std::string& what, Index rows, std::vector<std::string> files) {
      findings.push_back(
          {.severity = severity,
           .kind = "zero_weights",
           .text =
               concat(what, ": the weight ", label_words(set->weight), "is 0 in all ", counted(rows, "row"), ", so ",
                      set->name == "train" ? "nothing can be learned from them" : "they count in no metric",
                      "; check the column and its unit"),
           .columns = column,
           .files = std::move(files),
           .figures = {{"rows", double(rows)}}});
    };
    if (whole) add(Severity::error, set->name, set->all_rows(), {});
    for (const FileFacts& file : set->files)
      if (!whole && file.rows >= fewest_rows && file.weightless == file.rows)
        add(Severity::warning, file.path, file.rows, {file.path});
  }
}

void tell_unsampled(const SetFacts& set, std::vector<Finding>& findings) {
  if (set.unsampled == 0) return;
  findings.push_back({.severity = Severity::note,
                      .kind = "unsampled_rows",
                      .text = concat(set.unsampled, " of the ", set.all_rows(), " rows of ", set.name,
                                     " were written by an earlier start and not searched for leaks and repeated rows; "
                                     "run tesserec inspect over the files to search all"),
                      .columns = {},
                      .files = {},
                      .figures = {{"rows", double(set.unsampled)}}});
}

}  // namespace

void judge_label_values(const std::string& set, const std::string& label, const LabelCounts& rows,
                        std::vector<Finding>& findings) {
  if (rows.all < fewest_rows) return;
  const RowShare& ones = rows.ones;
  const char* const result = set == "train" ? "nothing can be learned" : "it has no AUC";
  const std::vector<std::string> columns(label.empty() ? 0 : 1, label);
  const std::string name = label_words(label);
  if (ones.rows == 0)
    findings.push_back({.severity = Severity::warning,
                        .kind = "missing_label",
                        .text = concat("no row of ", set, " has the label ", label, ", so ", result,
                                       "; check the column's name and its values"),
                        .columns = columns,
                        .files = {},
                        .figures = {{"rows", double(rows.all)}}});
  if (ones.rows < fewest_rows || (ones.hits > 0 && ones.hits < ones.rows)) return;
  findings.push_back(
      {.severity = Severity::warning,
       .kind = "constant_label",
       .text = concat("the label ", name, "is ", Index(ones.hits > 0), " in all ", ones.rows, " rows of ", set,
                      " that have it, so ", result, "; check the column and the values that count as 1"),
       .columns = columns,
       .files = {},
       .figures = {{"rows", double(ones.rows)}, {"ones", double(ones.hits)}}});
}

std::vector<Finding> judge(const std::vector<const SetFacts*>& sets, const ColumnNames& columns) {
  std::vector<Finding> findings;
  judge_files(sets, findings);
  judge_label_values(sets, findings);
  judge_weights(sets, findings);
  judge_drift(sets, columns, findings);
  for (const SetFacts* set : sets) tell_unsampled(*set, findings);
  if (sets.empty() || sets[0]->name != "train") return findings;
  judge_constant(*sets[0], columns, findings);
  judge_leaks(*sets[0], columns, findings);
  for (const SetFacts* set : sets)
    if (set->name == "evaluate") judge_overlap(*sets[0], *set, findings);
  return findings;
}

std::vector<Finding> judge_label(const std::vector<const SetFacts*>& sets, const ColumnNames& columns) {
  std::vector<Finding> findings;
  judge_label_values(sets, findings);
  judge_rates(sets, findings);
  if (!sets.empty() && sets[0]->name == "train") judge_leaks(*sets[0], columns, findings);
  return findings;
}

}  // namespace tesserec::verdict
