// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <tesserec/core/csv.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/store/run_end.hpp>
#include <tesserec/sweep/importance.hpp>
#include <tesserec/sweep/sweep.hpp>

namespace tesserec::sweep {
namespace {

/// Formats rows of cells as text, with two spaces before each column. A column is as wide as its widest cell.
std::string columns(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) line += "  " + left(row[c], widths[c]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

/// Formats rows of cells as CSV (RFC 4180).
std::string csv(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  for (const auto& row : rows) text += join(row, ",", csv_cell) + "\n";
  return text;
}

using Row = std::vector<std::string>;

/// Converts a TOML value to JSON. Numbers, strings and lists read alike in both; any other value becomes a string.
Json json_of(const std::string& toml) {
  try {
    return parse_json(toml);
  } catch (const Error&) {
    return toml;
  }
}

/// Removes TOML's quotes.
std::string plain(const std::string& toml) {
  const Json value = json_of(toml);
  return value.kind() == Json::Kind::string ? value.string() : toml;
}

const char* scale_of(const Key& key) {
  if (key.log) return "log";
  return key.values.empty() ? "linear" : "values";
}

/// Formats a value for programs; empty if it is not finite.
std::string cell(double value) { return std::isfinite(value) ? shortest(value) : ""; }

std::string number(double value) { return std::isfinite(value) ? significant(value, 6) : "-"; }

std::vector<Importance> importance_of(const Sweep& sweep) {
  std::vector<Point> points;
  std::vector<double> values;
  for (std::size_t i = 0; i < sweep.runs.size(); ++i) {
    points.push_back(sweep.runs[i].point);
    values.push_back(sweep.value(Index(i), 0).value_or(std::nan("")));
  }
  return importance(sweep.settings, points, values, sweep.more_is_better());
}

std::vector<Index> in_state(const Sweep& sweep, const std::string& wanted) {
  const Standing standing = sweep.standing();
  std::vector<Index> found;
  for (Index i = 0; i < std::ssize(sweep.runs); ++i)
    if (state(sweep, standing, i) == wanted) found.push_back(i);
  return found;
}

/// Returns state(), or, if the point has started, whether its run continues or how it ended.
std::string shown_state(const Sweep& sweep, const Standing& standing, Index point) {
  const std::string name = state(sweep, standing, point);
  return name == "started" ? store::state_of_started(sweep.runs[point].folder) : name;
}

/// Makes the table of points: its head, then a row for each point.
std::vector<Row> rows(const Sweep& sweep, bool for_people) {
  const Standing standing = sweep.standing();
  Row head = {"index", sweep.settings.metric, "steps", "samples", "state"};
  for (const Key& key : sweep.settings.keys) head.push_back(key.path);
  if (!for_people) head.emplace_back("folder");
  std::vector<Row> all = {head};
  for (const Index i : order(sweep)) {
    const Outcome* const outcome = sweep.last(i);
    const double value = sweep.last_value(i);
    const Index steps = outcome ? outcome->steps : 0;
    const Index samples = outcome ? outcome->samples : 0;
    Row row = {std::to_string(i), for_people ? number(value) : cell(value), std::to_string(steps),
               std::to_string(samples)};
    row.push_back(for_people ? shown_state(sweep, standing, i) : state(sweep, standing, i));
    for (const std::string& text : sweep.runs[i].point) row.push_back(plain(text));
    if (!for_people) row.push_back(sweep.runs[i].folder);
    all.push_back(std::move(row));
  }
  return all;
}

std::string rungs_text(const Sweep& sweep) {
  if (sweep.settings.halving.first_steps == 0) return "";
  return concat("halving: all points train to step ", sweep.rungs.front(), "; the best 1/", sweep.settings.halving.eta,
                " of each rung continue to steps ",
                join(std::vector<Index>(sweep.rungs.begin() + 1, sweep.rungs.end())), "\n");
}

/// Describes the steps trained with halving, and their share of training all points to the end.
std::string steps_text(const Sweep& sweep) {
  double steps = 0;
  for (Index i = 0; i < std::ssize(sweep.runs); ++i)
    if (const Outcome* outcome = sweep.last(i)) steps += double(outcome->steps);
  const double grid = double(sweep.rungs.back()) * double(sweep.runs.size());
  return concat(fixed(steps, 0), " steps, ", fixed(100 * steps / grid, 1), " % of training all points to the end\n");
}

}  // namespace

std::string list_text(const Sweep& sweep) {
  Row head = {"index"};
  for (const Key& key : sweep.settings.keys) head.push_back(key.path);
  head.emplace_back("folder");
  std::vector<Row> all = {head};
  for (std::size_t i = 0; i < sweep.runs.size(); ++i) {
    Row row = {std::to_string(i)};
    for (const std::string& text : sweep.runs[i].point) row.push_back(text);
    row.push_back(sweep.runs[i].folder);
    all.push_back(std::move(row));
  }
  return columns(all) + rungs_text(sweep);
}

Json list_json(const Sweep& sweep) {
  Json points = Json::array(Json::Layout::lines);
  for (std::size_t i = 0; i < sweep.runs.size(); ++i) {
    Json values = Json::object();
    for (std::size_t k = 0; k < sweep.settings.keys.size(); ++k)
      values.set(sweep.settings.keys[k].path, json_of(sweep.runs[i].point[k]));
    points.add(Json::object().set("index", i).set("folder", sweep.runs[i].folder).set("values", values));
  }
  Json json = Json::object(Json::Layout::lines);
  return json.set("deck", sweep.deck).set("folder", sweep.folder).set("rungs", sweep.rungs).set("points", points);
}

std::string summary_text(const Sweep& sweep) {
  std::string text = columns(rows(sweep, true));
  const Standing standing = sweep.standing();
  const auto count = [&](const char* name) { return in_state(sweep, name).size(); };
  const std::size_t ended = count("done") + count("stopped") + count("diverged");
  text += concat(ended, " of ", counted(std::ssize(sweep.runs), "point"), " ended");
  for (const char* name : {"stopped", "diverged"})
    if (count(name) > 0) text += concat(", ", count(name), " of them ", name);
  for (const char* name : {"missing", "started"})
    if (const std::vector<Index> indices = in_state(sweep, name); !indices.empty())
      text += concat("; ", name, ": ", indices.size() == 1 ? "index " : "indices ", join(indices));
  text += "\n";
  if (sweep.rungs.size() > 1) text += steps_text(sweep);
  if (sweep.rungs.size() > 1 && !standing.waiting.empty())
    text += concat("the rung at step ", sweep.rungs[standing.open()], " waits for ",
                   counted(std::ssize(standing.waiting), "more point"), "\n");
  std::vector<Row> importance_rows = {{"key", "share", "better"}};
  for (const Importance& entry : importance_of(sweep))
    importance_rows.push_back({entry.key, std::isfinite(entry.share) ? fixed(entry.share, 3) : "-", entry.better});
  const std::string where = sweep.rungs.size() > 1 ? concat(" at step ", sweep.rungs.front()) : "";
  return text + "share of the variance of " + sweep.settings.metric + where + " that each key alone explains:\n" +
         columns(importance_rows);
}

std::string summary_csv(const Sweep& sweep) { return csv(rows(sweep, false)); }

Json summary_json(const Sweep& sweep) {
  const Standing standing = sweep.standing();
  Json keys = Json::array(Json::Layout::lines), points = Json::array(Json::Layout::lines);
  const std::vector<Importance> shares = importance_of(sweep);
  for (std::size_t k = 0; k < sweep.settings.keys.size(); ++k) {
    const Key& key = sweep.settings.keys[k];
    Json row =
        Json::object().set("key", key.path).set("share", shares[k].share).set("better", json_of(shares[k].better));
    keys.add(row.set("scale", scale_of(key)));
  }
  for (Index i = 0; i < std::ssize(sweep.runs); ++i) {
    const Run& run = sweep.runs[i];
    Json values = Json::object(), metrics = Json::object();
    for (std::size_t k = 0; k < run.point.size(); ++k) values.set(sweep.settings.keys[k].path, json_of(run.point[k]));
    const Outcome* const outcome = sweep.last(i);
    if (outcome != nullptr)
      for (const auto& [name, value] : outcome->metrics) metrics.set(name, value);
    Json row = Json::object().set("index", i).set("state", state(sweep, standing, i)).set("value", sweep.last_value(i));
    row.set("steps", outcome ? outcome->steps : 0);
    row.set("samples", outcome ? outcome->samples : 0);
    row.set("values", values).set("metrics", metrics).set("folder", run.folder);
    points.add(row.set("weights_digest", outcome ? outcome->weights_digest : ""));
  }
  Json json = Json::object(Json::Layout::lines);
  json.set("deck", sweep.deck).set("metric", sweep.settings.metric).set("more_is_better", sweep.more_is_better());
  json.set("rungs", sweep.rungs).set("keys", keys).set("ranking", order(sweep));
  json.set("missing", in_state(sweep, "missing")).set("started", in_state(sweep, "started"));
  json.set("other_data", of_other_data(sweep));
  return json.set("points", points);
}

}  // namespace tesserec::sweep
