// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <ranges>

#include "figures.hpp"
#include "metric.hpp"
#include "rows.hpp"
#include "run_folder.hpp"
#include "scale.hpp"
#include "svg.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::report {
namespace {

std::string number_text(double value, int digits) { return std::isfinite(value) ? significant(value, digits) : ""; }
std::string size_text(double value) { return std::isfinite(value) ? tick_text(std::round(value)) : ""; }
std::string at_step(double step) { return "at step " + significant(step, 12); }

/// Makes a column from the cell that `cell_of` returns for each run.
template <class Say>
Column column(const std::string& name, const std::vector<Row>& rows, const Say& cell_of) {
  Column column{name, {}};
  for (const Row& row : rows) column.cells.push_back(row.run != nullptr ? cell_of(*row.run) : Cell());
  return column;
}

Cell end_cell(const Row& row) {
  Cell cell;
  if (row.point != nullptr) cell.text = escaped(row.point->state + (row.point->newer ? ", since sweep.json" : ""));
  if (row.run == nullptr) {
    if (row.point->state == "started") cell.note = escaped(last_message(row.folder + "/log.txt"));
    return cell;
  }
  const Run& run = *row.run;
  if (row.point == nullptr) cell.text = escaped(run.end.state);
  std::string note = run.end.detail;
  if (run.cut) note += " (the last line of metrics.jsonl was cut)";
  if (run.end.stale) note += " (result.json is from an earlier start and is ignored)";
  cell.note = escaped(note);
  return cell;
}

/// Returns the best value of a metric, with its step and the last value as a note.
Cell metric_cell(const Row& row, const std::string& name, const Metric& metric) {
  if (row.run == nullptr) {
    const bool ranked = row.sweep != nullptr && row.sweep->metric == name;
    return {ranked ? number_text(row.point->metric, 5) : "", ""};
  }
  const Run& run = *row.run;
  const auto curve = run.evaluate.find(name);
  if (curve == run.evaluate.end()) return {};
  const double last = run.last(name);
  const std::string last_text = number_text(last, 5);
  const auto best = metric.more ? run.best(name, *metric.more) : std::nullopt;
  if (last_text.empty()) return {};
  if (!best || best->value == last) return {last_text, run.evaluated == run.steps ? "" : at_step(run.evaluated)};
  return {number_text(best->value, 5), at_step(best->step) + ", last " + last_text};
}

/// Returns the clicks per sample of the evaluation set.
double base_rate(const Run& run) {
  if (const double mean = run.result.number({"mean_label"}); std::isfinite(mean)) return mean;
  const auto sum = [&](const char* name) {
    double total = 0;
    for (const double count : run.result.read({"evaluation", "bins", name}, numbers).value_or(std::vector<double>()))
      total += count;
    return total;
  };
  return sum("clicks") / sum("samples");
}

Cell truth_cell(const Run& run) {
  const std::string learnable = number_text(run.result.number({"learnable_auc"}), 5);
  return {number_text(run.result.number({"best_auc"}), 5), learnable.empty() ? "" : "learnable " + learnable};
}

/// Returns the time of the run's first start. The run.json of an older version has the newest start alone.
Cell first_start(const Run& run) {
  if (!run.starts.empty()) return {escaped(run.starts.front().time), ""};
  const std::string time = escaped(run.start.text({"start_time"}));
  const double step = run.start.number({"from_step"});
  return step > 0 ? Cell{"before " + time, "when it resumed from step " + significant(step, 12)} : Cell{time, ""};
}

/// Returns the number of starts, noted with their gaps and first steps: "3", "gaps 113 s; from step 0, 40 after 35 s,
/// ...".
Cell starts_cell(const Run& run) {
  constexpr std::size_t max_listed = 8;
  if (run.starts.size() < 2) return {};
  const std::size_t skipped = run.starts.size() - std::min(run.starts.size(), max_listed);
  double gaps = 0;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < run.starts.size(); ++i) {
    const Start& start = run.starts[i];
    if (std::isfinite(start.gap)) gaps += start.gap;
    if (i < skipped) continue;
    const std::string after = i > 0 && std::isfinite(start.gap) ? " after " + duration_text(start.gap) : "";
    texts.push_back(significant(start.from_step, 12) + after);
  }
  return {concat(run.starts.size()), concat("gaps ", duration_text(gaps), "; from step ",
                                            skipped > 0 ? concat(skipped, " more, ") : "", join(texts))};
}

Cell end_time(const Run& run) {
  const std::string end = run.result.text({"end_time"});
  const double seconds =
      seconds_of(end) - seconds_of(run.starts.empty() ? run.start.text({"start_time"}) : run.starts.front().time);
  return {escaped(end), std::isfinite(seconds) ? "after " + duration_text(seconds) : ""};
}

Cell speed_cell(const Run& run) {
  const double reported = run.result.number({"samples_per_second"});
  const double step = run.result.number({"step_seconds"});
  const double speed = reported > 0 ? reported : run.last("samples_per_second");
  return {size_text(speed), step > 0 ? significant(1e3 * step, 3) + " ms per step (median)" : ""};
}

Cell memory_cell(const Run& run) {
  const double peak = run.result.number({"peak_memory_bytes"});
  return {std::isfinite(peak) ? bytes_text(peak) : "", ""};
}

/// Lists the metrics in the order of the runs' files: those of evaluations, or those of training without a curve.
std::vector<std::string> names_of(const std::vector<Row>& rows, bool evaluation) {
  std::vector<std::string> names;
  const auto add_name = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const Row& row : rows)
    if (row.run != nullptr && evaluation)
      for (const std::string& name : row.run->metrics) add_name(name);
  for (const Row& row : rows)
    if (row.run != nullptr && !evaluation)
      for (const auto& [name, curve] : row.run->train)
        if (name != "loss" && name != "samples_per_second") add_name(name);
  const auto charted = [&](const std::string& name) {
    return std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
      return row.run != nullptr && row.run->train.contains(name) && row.run->train.at(name).values.size() > 1;
    });
  };
  if (!evaluation) std::erase_if(names, charted);
  return names;
}

}  // namespace

std::string duration_text(double seconds) {
  if (seconds < 120) return significant(std::round(seconds), 3) + " s";
  if (seconds < 2 * 3600) return significant(seconds / 60, 3) + " min";
  return significant(seconds / 3600, 3) + " h";
}

std::vector<Column> columns_of(const std::vector<Row>& rows, const Runs& runs, const Links& links) {
  std::vector<Column> columns;
  const auto add = [&](const std::string& name, const auto& cell_of) {
    columns.push_back(column(name, rows, cell_of));
  };
  const auto add_rows = [&](const std::string& name, const auto& cell_of) {
    Column& made = columns.emplace_back(Column{name, {}});
    for (const Row& row : rows) made.cells.push_back(cell_of(row));
  };
  add_rows("end", end_cell);
  std::vector<std::string> names = names_of(rows, true);
  for (const Sweep& sweep : runs.sweeps)  // the metric that ranks the points is first
    if (const auto found = std::find(names.begin(), names.end(), sweep.metric); found != names.end())
      std::rotate(names.begin(), found, found + 1);
    else
      add_rows(sweep.metric, [&](const Row& row) {
        return row.sweep == &sweep ? Cell{number_text(row.point->metric, 6), ""} : Cell();
      });
  const auto add_metric = [&](const std::string& name) {
    const Metric metric = metric_of(name);
    add_rows(metric.name + (metric.more ? ", best" : ", last"),
             [&](const Row& row) { return metric_cell(row, name, metric); });
  };
  if (!names.empty()) add_metric(names.front());
  for (const Column& key : columns_of_keys(rows) | std::views::take(most_key_columns)) columns.push_back(key);
  for (std::size_t m = 1; m < names.size(); ++m) add_metric(names[m]);
  add("AUC of the truth", truth_cell);
  add("base rate", [](const Run& run) {
    const double samples = run.result.number({"evaluation", "samples"});
    return Cell{number_text(base_rate(run), 4), samples > 0 ? concat("of ", size_text(samples), " samples") : ""};
  });
  add("training loss, last", [](const Run& run) { return Cell{number_text(run.closing_loss(), 5), ""}; });
  for (const std::string& name : names_of(rows, false))
    add("training: " + (name == "lr" ? "learning rate" : metric_of(name).name), [&](const Run& run) {
      return Cell{run.train.contains(name) ? number_text(run.last(name), 5) : "", ""};
    });
  add("steps", [](const Run& run) { return Cell{number_text(run.steps, 12), ""}; });
  add_rows("samples", [](const Row& row) {
    return Cell{size_text(row.run != nullptr ? row.run->samples : row.point->samples), ""};
  });
  add("samples/s", speed_cell);
  add("ranks", [](const Run& run) { return Cell{number_text(run.start.number({"ranks"}), 9), ""}; });
  add("peak memory of a rank", memory_cell);
  add("first started (UTC)", first_start);
  add("ended (UTC)", end_time);
  add("starts", starts_cell);
  add_rows("files", [&](const Row& row) {
    return Cell{links.files_of(row.folder, row.run != nullptr ? row.run->start : Record()), ""};
  });
  const auto empty = [](const Column& column) {
    return std::all_of(column.cells.begin(), column.cells.end(), [](const Cell& cell) { return cell.text.empty(); });
  };
  std::erase_if(columns, empty);
  return columns;
}

}  // namespace tesserec::report
