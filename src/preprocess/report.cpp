// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <tesserec/core/text.hpp>
#include <tesserec/data/source.hpp>
#include <tesserec/preprocess/run.hpp>

namespace tesserec::preprocess {
namespace {

void lines_of(const DatasetReport& report, const char* name, std::vector<std::string>& lines) {
  if (report.output.empty()) return;
  const bool scored = report.labels[0] + report.labels[1] == 0;
  const std::string labels =
      scored ? "without labels"
             : concat(significant(100.0 * double(report.labels[1]) / double(report.rows), 4), " % positive");
  const std::string unread = report.labels_unread > 0
                                 ? concat("; ", counted(report.labels_unread, "label"), " in the raw files not read")
                                 : "";
  lines.push_back(concat(name, ": ", report.rows, " rows, ", labels, ", in ", report.output, unread));
  for (const FileReport& file : report.files) {
    if (file.bad_rows == 0) continue;
    const bool is_complete = std::ssize(file.bad) == file.bad_rows;
    const std::string examples = is_complete ? ":" : "; for example";
    const std::string unlabeled = file.unlabeled > 0 ? concat(", ", file.unlabeled, " of them without a label") : "";
    lines.push_back(concat(file.path, ": ", counted(file.bad_rows, "bad row"), " left out", unlabeled, ", ", file.rows,
                           " kept", scored ? "; no score for" : examples));
    for (const std::string& bad : file.bad) lines.push_back("  " + bad);
    if (!is_complete && scored) lines.push_back(concat("  and ", file.bad_rows - std::ssize(file.bad), " more"));
  }
}

std::string percent(double share) { return significant(100 * share, 3) + " %"; }

using Cells = std::vector<std::string>;

std::string line_of(const Cells& cells) {
  std::string text = "  " + left(cells[0], 24) + " " + left(cells[1], 12);
  for (std::size_t i = 2; i < cells.size(); ++i) text += " " + right(cells[i], 10);
  return text;
}

/// Returns a column's shares of missing, unknown and clipped values, each the maximum over the files.
Cells shares_of(const DatasetReport& report, std::size_t column, bool number, bool bag) {
  double missing = 0, unknown = 0, clipped = 0;
  for (const FileReport& file : report.files) {
    if (file.rows == 0) continue;
    const ColumnCounts& count = file.columns[column];
    missing = std::max(missing, double(count.missing) / double(file.rows));
    unknown = std::max(unknown, count.unknown_share());
    clipped = std::max(clipped, double(count.clipped) / double(file.rows));
  }
  if (number) return {percent(missing), "-", percent(clipped)};
  return {percent(missing), percent(unknown), bag ? percent(clipped) : "-"};
}

/// Returns a feature's name, kind, distinct values and ids.
Cells feature_cells(const PreprocessReport& report, std::size_t f) {
  const bool any = report.ids[f] == data::any_id;
  const std::string ids = any ? "any" : std::to_string(report.ids[f]);
  const std::string values = any || report.values.empty() ? "-" : std::to_string(report.values[f]);
  return {report.features[f], report.kinds[f], values, ids};
}

/// Appends a table with a line for each column: kind, distinct values, ids, and shares in each dataset.
void table_of(const PreprocessReport& report, std::vector<std::string>& lines) {
  Cells head = {"column", "kind", "values", "ids"};
  const std::vector<std::pair<std::string, const DatasetReport*>> all = {
      {"", &report.train}, {"evaluate:", &report.evaluate}, {"predict:", &report.predict}};
  const auto for_each_set = [&](const auto& add) {
    for (const auto& [name, set] : all)
      if (!set->output.empty()) add(name, *set);
  };
  for_each_set([&](const std::string& name, const DatasetReport&) {
    if (!name.empty()) head.push_back(name);
    head.insert(head.end(), {"missing", "unknown", "clipped"});
  });
  lines.push_back(line_of(head));
  const std::size_t dense = report.dense_features.size();
  for (std::size_t c = 0; c < dense + report.features.size(); ++c) {
    const bool number = c < dense;
    Cells cells;
    if (number)
      cells = {report.dense_features[c], report.transforms[c].substr(0, report.transforms[c].find(' ')), "-", "-"};
    else
      cells = feature_cells(report, c - dense);
    for_each_set([&](const std::string& name, const DatasetReport& set) {
      if (!name.empty()) cells.emplace_back();
      const Cells shares = shares_of(set, c, number, !number && report.kinds[c - dense].ends_with("bag"));
      cells.insert(cells.end(), shares.begin(), shares.end());
    });
    lines.push_back(line_of(cells));
  }
}

}  // namespace

ColumnCounts& ColumnCounts::operator+=(const ColumnCounts& other) {
  missing += other.missing;
  unknown += other.unknown;
  clipped += other.clipped;
  large += other.large;
  values += other.values;
  cut += other.cut;
  return *this;
}

Index DatasetReport::bad_rows() const {
  Index sum = 0;
  for (const FileReport& file : files) sum += file.bad_rows;
  return sum;
}

ColumnCounts DatasetReport::column(std::size_t number) const {
  ColumnCounts sum;
  for (const FileReport& file : files) sum += file.columns[number];
  return sum;
}

std::vector<std::string> summary(const PreprocessReport& report) {
  std::vector<std::string> lines;
  lines_of(report.train, "train", lines);
  lines_of(report.evaluate, "evaluate", lines);
  lines_of(report.predict, "predict", lines);
  Index ids = 0, added = 0;
  for (const Index n : report.ids) ids += n == data::any_id ? 0 : n;
  for (const Index n : report.new_ids) added += n;
  lines.push_back(concat(counted(std::ssize(report.dense_features), "dense feature"), ", ",
                         counted(std::ssize(report.features), "sparse feature"), " with ", ids, " ids in total"));
  if (!report.vocabulary.empty())
    lines.push_back(concat("ids and transforms from ", report.vocabulary,
                           report.new_ids.empty() ? "" : concat(", followed by ", counted(added, "new id"), ":")));
  for (std::size_t f = 0; f < report.new_ids.size(); ++f)
    if (!report.kinds[f].starts_with("hashed"))
      lines.push_back(concat("  ", report.features[f], ": ", counted(report.new_ids[f], "new id"), ", from ",
                             report.ids[f] - report.new_ids[f], " on"));
  for (std::size_t f = 0; f < report.collisions.size(); ++f)
    if (report.kinds[f].starts_with("hashed") && report.ids[f] != data::any_id)
      lines.push_back(concat("  ", report.features[f], ": ", report.collisions[f], " of ",
                             counted(report.values[f], "value"), " share their row with another one"));
  table_of(report, lines);
  return lines;
}

}  // namespace tesserec::preprocess
