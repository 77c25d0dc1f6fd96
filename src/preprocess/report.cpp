// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tesserec/core/text.hpp>
#include <tesserec/data/source.hpp>
#include <tesserec/preprocess/run.hpp>
#include <tesserec/raw/field_values.hpp>
#include <tesserec/raw/quantiles.hpp>

namespace tesserec::preprocess {
namespace {

std::string percent(double share) { return significant(100 * share, 3) + " %"; }

constexpr std::size_t files_shown = 30, reasons_shown = 5, examples_shown = 3;

/// Appends a line for each file: rows, share of label 1, bad rows. Few files suffice to see a trend.
void files_of(const DatasetReport& report, bool labelled, std::vector<std::string>& lines) {
  if (report.files.size() < 2) return;
  std::size_t width = 4;
  for (const FileReport& file : report.files) width = std::max(width, file.path.size() - (file.path.rfind('/') + 1));
  const auto line = [&](const std::string& name, const std::string& rows, const std::string& rate,
                        const std::string& bad) {
    lines.push_back("  " + left(name, width) + right(rows, 14) + right(rate, 12) + right(bad, 10));
  };
  line("file", "rows", "positive", "bad rows");
  for (std::size_t f = 0; f < std::min(report.files.size(), files_shown); ++f) {
    const FileReport& file = report.files[f];
    const double rate = double(report.facts.files[f].positives) / double(std::max(file.rows, Index{1}));
    line(file.path.substr(file.path.rfind('/') + 1), std::to_string(file.rows), labelled ? percent(rate) : "-",
         std::to_string(file.bad_rows));
  }
  if (report.files.size() > files_shown) lines.push_back(concat("  and ", report.files.size() - files_shown, " more"));
}

/// Appends a file's bad rows by reason, the most frequent first, if there are several reasons.
void reasons_of(const FileReport& file, std::vector<std::string>& lines) {
  if (file.reasons.size() < 2) return;
  std::vector<std::pair<Index, std::string>> order;
  for (const auto& [reason, count] : file.reasons) order.emplace_back(-count, reason);
  std::sort(order.begin(), order.end());
  for (std::size_t r = 0; r < std::min(order.size(), reasons_shown); ++r)
    lines.push_back(concat("  ", right(std::to_string(-order[r].first), 8), " x ", order[r].second));
  if (order.size() > reasons_shown)
    lines.push_back(concat("  and ", counted(std::ssize(order) - Index(reasons_shown), "reason"), " more"));
}

/// Returns the share of 1 of each label, and the rows that lack it.
std::string labels_of(const DatasetReport& report) {
  std::vector<std::string> texts;
  for (std::size_t t = 0; t < std::max<std::size_t>(1, report.tasks.size()); ++t) {
    const auto [others, clicks] = report.label_counts(t);
    const Index labelled = others + clicks;
    const std::string share = significant(100.0 * double(clicks) / double(std::max<Index>(1, labelled)), 4) + " %";
    texts.push_back(report.tasks.empty() ? share + " positive" : report.tasks[t] + " " + share + " positive");
    if (labelled < report.rows)
      texts.back() += concat(" of ", labelled, " (", report.rows - labelled, " rows lack it)");
  }
  return join(texts);
}

/// Appends the bad rows of each file: reasons and examples. `scored`: whether the rows are to score, so that all
/// matter.
void bad_rows_of(const std::vector<FileReport>& files, bool scored, std::vector<std::string>& lines) {
  std::size_t shown = 0, not_shown = 0;
  for (const FileReport& file : files) {
    if (file.bad_rows == 0) continue;
    if (!scored && ++shown > examples_shown) {
      ++not_shown;
      continue;
    }
    const bool is_complete = std::ssize(file.bad) == file.bad_rows;
    const std::string examples = is_complete ? ":" : "; for example";
    const std::string unlabeled = file.unlabeled > 0 ? concat(", ", file.unlabeled, " of them without a label") : "";
    lines.push_back(concat(file.path, ": ", counted(file.bad_rows, "bad row"), " left out", unlabeled, ", ", file.rows,
                           " kept", scored ? "; no score for" : examples));
    reasons_of(file, lines);
    for (const std::string& bad : file.bad) lines.push_back("  " + bad);
    if (!is_complete && scored) lines.push_back(concat("  and ", file.bad_rows - std::ssize(file.bad), " more"));
  }
  if (not_shown > 0)
    lines.push_back(concat("bad rows in ", counted(Index(not_shown), "more file"), ": --json has examples"));
}

void lines_of(const DatasetReport& report, const char* name, std::vector<std::string>& lines) {
  if (report.output.empty()) return;
  const bool scored = !report.facts.labelled || report.rows == 0;
  const std::string labels = scored ? "without labels" : labels_of(report);
  const std::string unread = report.labels_unread > 0
                                 ? concat("; ", counted(report.labels_unread, "label"), " in the raw files not read")
                                 : "";
  lines.push_back(concat(name, ": ", report.rows, " rows, ", labels, ", in ", report.output, unread));
  files_of(report, !scored, lines);
  bad_rows_of(report.files, scored, lines);
}

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

/// Returns a feature's most frequent values with their shares of the training rows.
std::string top_of(const PreprocessReport& report, std::size_t f) {
  if (report.train.output.empty()) return "";
  return join(report.train.top[f], ", ", [&](const ValueCount& top) {
    return top.value + " " + percent(double(top.count) / double(std::max(report.train.rows, Index{1})));
  });
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
  lines.push_back(line_of(head) + (report.train.output.empty() ? "" : "   most frequent"));
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
    const std::string top = number ? "" : top_of(report, c - dense);
    lines.push_back(line_of(cells) + (top.empty() ? "" : "   " + top));
  }
}

/// Appends a line for each feature with quantiles: its borders, and why they are fewer than the deck says.
void borders_of(const PreprocessReport& report, std::vector<std::string>& lines) {
  constexpr std::size_t shown = 12;  // borders
  for (std::size_t f = 0; f < report.borders.size(); ++f) {
    const std::optional<raw::StoredBorders> stored = raw::parse_borders(report.borders[f]);
    if (!stored) continue;
    // A border below a single value leaves the other bucket empty.
    const bool taught = report.vocabulary.empty() && f < report.values.size() && report.values[f] > 0;
    const std::size_t borders = stored->borders.size();
    const Index buckets = taught ? report.values[f] : Index(borders) + 1;
    std::string line = concat("quantiles of ", report.features[f], ": borders");
    for (std::size_t i = 0; i < std::min(borders, shown); ++i) line += " " + raw::number_text(stored->borders[i]);
    if (borders > shown) line += concat(" and ", borders - shown, " more");
    if (buckets < stored->quantiles)
      line += concat("; ", counted(buckets, "bucket"), " instead of ", stored->quantiles,
                     ", because all rows of a value are in one");
    lines.push_back(line);
  }
}

/// Appends a line for each side table: its size, and the rows of each dataset whose keys it lacks.
void joins_of(const PreprocessReport& report, std::vector<std::string>& lines) {
  const std::size_t columns = report.dense_features.size() + report.features.size();
  const std::vector<std::pair<const char*, const DatasetReport*>> all = {
      {"train", &report.train}, {"evaluate", &report.evaluate}, {"predict", &report.predict}};
  for (std::size_t j = 0; j < report.joins.size(); ++j) {
    const JoinedTable& table = report.joins[j];
    std::string text = concat("joined ", table.file, " on ", table.on, ": ", counted(table.rows, "row"), ", ",
                              bytes_text(double(table.bytes)), " in memory on each rank; rows without one there:");
    for (const auto& [name, set] : all)
      if (!set->output.empty())
        text += concat(" ", name, " ", set->column(columns + j).unknown, " (",
                       percent(set->column(columns + j).unknown_share()), ")");
    for (const FileReport& file : report.train.files)
      if (const std::string& key = file.unknown[report.features.size() + j]; !key.empty()) {
        text += concat(", for example ", key);
        break;
      }
    lines.push_back(text);
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

std::array<Index, 2> DatasetReport::label_counts(std::size_t task) const {
  if (task == 0) return labels;
  return {further_labels[2 * task - 2], further_labels[2 * task - 1]};
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
  if (!report.split.rule.empty()) lines.push_back(description(report.split));
  lines_of(report.train, "train", lines);
  lines_of(report.evaluate, "evaluate", lines);
  lines_of(report.predict, "predict", lines);
  bad_rows_of(report.history, false, lines);
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
  borders_of(report, lines);
  joins_of(report, lines);
  for (std::size_t s = 0; s < report.unsequenced.size(); ++s)
    if (report.unsequenced[s] > 0)
      lines.push_back(concat("sequence ", report.features[report.features.size() - report.unsequenced.size() + s], ": ",
                             counted(report.unsequenced[s], "row"), " without a user or a time, in no sequence"));
  return lines;
}

}  // namespace tesserec::preprocess
