// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/core/text.hpp>
#include <tesserec/data/preprocess.hpp>

namespace tesserec::data {
namespace {

void lines_of(const DatasetReport& report, const char* name, std::vector<std::string>& lines) {
  if (report.output.empty()) return;
  lines.push_back(concat(name, ": ", report.rows, " rows, ", significant(100.0 * report.labels[1] / report.rows, 4),
                         " % positive, in ", report.output));
  for (const FileReport& file : report.files) {
    if (file.bad_rows == 0) continue;
    lines.push_back(concat(file.path, ": ", file.bad_rows, " bad rows left out, ", file.rows, " kept; for example"));
    for (const std::string& bad : file.bad) lines.push_back("  " + bad);
  }
}

std::string percent(double share) { return significant(100 * share, 3) + " %"; }

using Cells = std::vector<std::string>;

std::string line_of(const Cells& cells) {
  constexpr std::size_t widths[] = {24, 12, 10, 10, 10, 10, 10, 10, 10, 10, 10};
  std::string text = "  " + left(cells[0], widths[0]) + " " + left(cells[1], widths[1]);
  for (std::size_t i = 2; i < cells.size(); ++i) text += " " + right(cells[i], widths[i]);
  return text;
}

/// Returns the shares of a column that are missing, unknown and clipped: each the largest of any file.
Cells shares_of(const DatasetReport& report, std::size_t column, bool number) {
  double missing = 0, unknown = 0, clipped = 0;
  for (const FileReport& file : report.files) {
    if (file.rows == 0) continue;
    const ColumnCounts& count = file.columns[column];
    missing = std::max(missing, double(count.missing) / double(file.rows));
    unknown = std::max(unknown, count.unknown_share(file.rows));
    clipped = std::max(clipped, double(count.clipped) / double(file.rows));
  }
  if (number) return {percent(missing), "-", percent(clipped)};
  return {percent(missing), percent(unknown), "-"};
}

/// Adds a line a column: its values, and what became of them.
void table_of(const PreprocessReport& report, std::vector<std::string>& lines) {
  const bool evaluates = !report.evaluate.output.empty();
  Cells head = {"column", "kind", "values", "ids", "missing", "unknown", "clipped"};
  if (evaluates) head.insert(head.end(), {"evaluate:", "missing", "unknown", "clipped"});
  lines.push_back(line_of(head));
  const std::size_t dense = report.dense_features.size();
  for (std::size_t c = 0; c < dense + report.features.size(); ++c) {
    const bool number = c < dense;
    Cells cells;
    if (number)
      cells = {report.dense_features[c], report.transforms[c].substr(0, report.transforms[c].find(' ')), "-", "-"};
    else
      cells = {report.features[c - dense], "category", std::to_string(report.values[c - dense]),
               std::to_string(report.ids[c - dense])};
    const Cells train = shares_of(report.train, c, number), evaluate = shares_of(report.evaluate, c, number);
    cells.insert(cells.end(), train.begin(), train.end());
    if (evaluates) cells.emplace_back();
    if (evaluates) cells.insert(cells.end(), evaluate.begin(), evaluate.end());
    lines.push_back(line_of(cells));
  }
}

}  // namespace

ColumnCounts& ColumnCounts::operator+=(const ColumnCounts& other) {
  missing += other.missing;
  unknown += other.unknown;
  clipped += other.clipped;
  large += other.large;
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
  Index ids = 0;
  for (const Index n : report.ids) ids += n;
  lines.push_back(concat(report.dense_features.size(), " dense features, ", report.features.size(),
                         " sparse features with ", ids, " ids together"));
  table_of(report, lines);
  return lines;
}

std::vector<std::string> warnings(const PreprocessReport& report) {
  std::vector<std::string> lines;
  const std::size_t dense = report.dense_features.size();
  for (const DatasetReport* of : {&report.train, &report.evaluate})
    for (const FileReport& file : of->files)
      for (std::size_t k = 0; k < dense; ++k)
        if (const Index large = file.columns[k].large; large > 0)
          lines.push_back(concat(file.path, ": column ", report.dense_features[k], ": ", counted(large, "number"),
                                 " of magnitude 1e9 or more behind its transform, ", report.transforms[k],
                                 ": floats round them, and no weight fits them; use standardise or log1p, or make the "
                                 "column a category"));
  for (std::size_t f = 0; f < report.features.size(); ++f) {
    const double unknown = report.train.column(dense + f).unknown_share(report.train.rows);
    if (unknown > report.max_unknown)
      lines.push_back(concat("column ", report.features[f], ": ", percent(unknown),
                             " of its values in the training files have no id, each seen fewer than "
                             "preprocess.minimum_count times; lower it, or leave the column out"));
  }
  for (std::size_t c = 0; c < dense + report.features.size(); ++c) {
    const double usual = double(report.train.column(c).missing) / double(report.train.rows);
    for (const FileReport& file : report.evaluate.files) {
      const double missing = file.rows == 0 ? 0.0 : double(file.columns[c].missing) / double(file.rows);
      if (missing > report.max_unknown && usual <= report.max_unknown)
        lines.push_back(concat(file.path, ": column ",
                               c < dense ? report.dense_features[c] : report.features[c - dense], " is missing in ",
                               percent(missing), " of the rows, in the training files in ", percent(usual),
                               "; compare how the files were written"));
    }
  }
  return lines;
}

}  // namespace tesserec::data
