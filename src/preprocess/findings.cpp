// SPDX-License-Identifier: Apache-2.0
#include "findings.hpp"

#include <string>
#include <vector>

#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/data/source.hpp>
#include <tesserec/verdict/judge.hpp>

namespace tesserec::preprocess {
namespace {

using verdict::Finding;
using verdict::Severity;

/// Appends numbers of a file that are too large to learn from.
void find_large(const PreprocessReport& report, const FileReport& file, const std::string& where,
                std::vector<Finding>& findings) {
  for (std::size_t k = 0; k < report.dense_features.size(); ++k) {
    const Index large = file.columns[k].large;
    if (large == 0) continue;
    findings.push_back({.severity = Severity::warning,
                        .kind = "large_numbers",
                        .text = concat(where, ": column ", report.dense_features[k], ": ", counted(large, "number"),
                                       " of magnitude 1e9 or more after its transform (", report.transforms[k],
                                       "), too large to learn from; use standardise or log1p, or make the column a "
                                       "category"),
                        .columns = {report.dense_features[k]},
                        .files = {file.path},
                        .figures = {{"numbers", double(large)}}});
  }
}

/// Appends features of a file whose values max_values cut. `where`: names the file and, of a split one, the rows.
void find_cut(const PreprocessReport& report, const FileReport& file, const std::string& where,
              std::vector<Finding>& findings) {
  for (std::size_t f = 0; f < report.features.size(); ++f) {
    const ColumnCounts& count = file.columns[report.dense_features.size() + f];
    if (count.cut == 0) continue;
    findings.push_back({.severity = Severity::note,
                        .kind = "cut_values",
                        .text = concat(where, ": column ", report.features[f], ": max_values cut ",
                                       counted(count.cut, "value"), " of ", counted(count.clipped, "row")),
                        .columns = {report.features[f]},
                        .files = {file.path},
                        .figures = {{"values", double(count.cut)}, {"rows", double(count.clipped)}}});
  }
}

/// Appends features of which most values in the training files are too rare for an id.
void find_unknown(const PreprocessReport& report, std::vector<Finding>& findings) {
  const bool teaches = report.vocabulary.empty() || !report.new_ids.empty();
  if (report.train.output.empty() || !teaches) return;
  for (std::size_t f = 0; f < report.features.size(); ++f) {
    const double unknown = report.train.column(report.dense_features.size() + f).unknown_share();
    if (unknown <= report.max_unknown) continue;
    findings.push_back({.severity = Severity::warning,
                        .kind = "mostly_unknown",
                        .text = concat("column ", report.features[f], ": ", significant(100 * unknown, 3),
                                       " % of its values in the training files have no id, because each occurs fewer "
                                       "than preprocess.minimum_count times; lower it, or leave the column out"),
                        .columns = {report.features[f]},
                        .files = {},
                        .figures = {{"share", unknown}}});
  }
}

/// Appends features of which the new training files have no value that the extended vocabulary knows.
void find_all_new(const PreprocessReport& report, std::vector<Finding>& findings) {
  for (std::size_t f = 0; f < report.known.size(); ++f) {
    const bool hashed = report.kinds[f].starts_with("hashed");  // Each text has an id.
    const bool had_ids = report.ids[f] - report.new_ids[f] > 1;
    if (hashed || !had_ids || report.known[f] > 0 || report.values[f] == 0) continue;
    findings.push_back(
        {.severity = Severity::warning,
         .kind = "all_new_values",
         .text = concat("column ", report.features[f], ": none of its ", counted(report.values[f], "value"),
                        " in the training files has an id in ", report.vocabulary,
                        ", so rows that were learned from it are not used; check how ", "the files write the column"),
         .columns = {report.features[f]},
         .figures = {{"values", double(report.values[f])}}});
  }
}

/// Appends columns of times whose form is another one than that of the vocabulary's data set.
void find_changed_times(const PreprocessReport& report, std::vector<Finding>& findings) {
  for (const ChangedTime& time : report.changed_times)
    findings.push_back({.severity = Severity::warning,
                        .kind = "changed_time",
                        .text = concat("column ", time.column, ": the deck reads its times as \"", time.form,
                                       "\", but those of ", report.vocabulary, " were read as \"", time.before,
                                       "\"; check that the key time fits the new files"),
                        .columns = {time.column}});
}

/// Appends labels that have one value, beside the one that judge() looked at.
void find_constant_labels(const DatasetReport& set, std::vector<Finding>& findings) {
  for (std::size_t t = 0; t < set.tasks.size(); ++t) {
    const std::array<Index, 2> counts = set.label_counts(t);
    if (set.tasks[t] != set.facts.label)
      verdict::judge_label_values(set.facts.name, set.tasks[t], {{counts[1], counts[0] + counts[1]}, set.rows},
                                  findings);
  }
}

/// Adds a note that leaks and click rates were looked for by one label alone.
void tell_unjudged(const DatasetReport& train, std::vector<Finding>& findings) {
  if (train.output.empty() || train.tasks.size() < 2) return;
  std::vector<std::string> others = train.tasks;
  std::erase(others, train.facts.label);
  findings.push_back({.severity = Severity::note,
                      .kind = "unjudged_labels",
                      .text = concat("leaks and click rates were judged by the label ", train.facts.label,
                                     ", which every row has; run tesserec inspect over the data sets to judge by ",
                                     join(others), ", too"),
                      .columns = others,
                      .files = {}});
}

}  // namespace

std::vector<Finding> find_oddities(const PreprocessReport& report) {
  verdict::ColumnNames columns{.dense = report.dense_features, .indicator = {}, .features = report.features};
  for (const std::string& transform : report.transforms) columns.indicator.push_back(transform == "missing_indicator");
  std::vector<const verdict::SetFacts*> sets;
  const std::vector<const DatasetReport*> all = {&report.train, &report.evaluate, &report.predict};
  for (const DatasetReport* set : all)
    if (!set->output.empty()) sets.push_back(&set->facts);
  std::vector<Finding> findings = verdict::judge(sets, columns);
  for (const DatasetReport* set : all)
    for (const FileReport& file : set->files) {
      const bool divided = set == &report.evaluate && !report.split.rule.empty();
      const std::string where = concat(file.path, divided ? " (rows to evaluate)" : "");
      find_large(report, file, where, findings);
      find_cut(report, file, where, findings);
    }
  for (const DatasetReport* set : all)
    if (set->tasks.size() > 1 && set->facts.labelled) find_constant_labels(*set, findings);
  find_unknown(report, findings);
  find_all_new(report, findings);
  find_changed_times(report, findings);
  tell_unjudged(report.train, findings);
  return findings;
}

void require_nothing_odd(const std::vector<verdict::Finding>& findings) {
  const std::size_t odd = verdict::count_from(findings, verdict::Severity::warning);
  if (odd == 0) return;
  for (const std::string& line : verdict::lines(findings)) log_info(line);
  fail("the data have ", counted(Index(odd), "finding"),
       ", so nothing was written; correct the raw files, or set preprocess.strict = false");
}

}  // namespace tesserec::preprocess
