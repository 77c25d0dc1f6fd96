// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "chart.hpp"
#include "figures.hpp"
#include "record.hpp"
#include "scale.hpp"
#include "svg.hpp"
#include <tesserec/core/json.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::report {
namespace {

/// Plan in run.json.
struct Plan {
  struct Table {
    std::string name, size, type;
    double numbers = 0;
    std::vector<double> shares;  ///< share of the table's elements [rank]
  };
  std::size_t ranks = 1;
  std::vector<Table> tables;  ///< tables, the largest first
  double memory = 0;          ///< bytes of memory of a rank; 0 = unknown
  std::vector<double> taken;  ///< planned bytes [rank]; empty = unknown
};

Plan::Table table_of(const Json& json, std::size_t ranks) {
  const double rows = json.at("rows").number(), columns = json.at("dim").number();
  Plan::Table table{json.at("name").string(), concat(tick_text(rows), " × ", columns), json.at("type").string(),
                    rows * columns, std::vector<double>(ranks)};
  for (const Json& shard : json.at("shards").elements()) {
    const std::vector<double> size = numbers(shard.at("size"));
    const double rank = shard.at("rank").number();
    if (size.size() == 2 && rank >= 0 && rank < double(ranks) && table.numbers > 0)
      table.shares[std::size_t(rank)] += size[0] * size[1] / table.numbers;
  }
  if (json.at("shards").elements().empty()) std::fill(table.shares.begin(), table.shares.end(), 1.0);
  return table;
}

/// Reads a plan. Throws Error if it does not have the form of docs/formats.md.
Plan plan_of(const Json& json) {
  Plan plan;
  const std::size_t ranks = plan.ranks = std::size_t(std::max(1.0, json.at("ranks").number()));
  for (const Json& table : json.at("tables").elements()) plan.tables.push_back(table_of(table, ranks));
  std::stable_sort(plan.tables.begin(), plan.tables.end(),
                   [](const Plan::Table& a, const Plan::Table& b) { return a.numbers > b.numbers; });
  if (json.has("memory_bytes")) plan.memory = json.at("memory_bytes").number();
  const double before = json.has("taken_bytes") ? json.at("taken_bytes").number() : 0;  // GPU bytes before any table
  if (json.has("per_rank"))
    for (const Json& rank : json.at("per_rank").elements()) plan.taken.push_back(before + rank.at("bytes").number());
  if (plan.taken.size() != ranks || !(plan.memory > 0)) plan.taken.clear();
  return plan;
}

constexpr std::size_t max_rows = 40, max_columns = 64;
constexpr double row = 15, top = 22;

/// Columns of the figure, one for each rank. If ranks are many, several share a column, which shows their maximum.
struct Columns {
  static constexpr double left = 330, right = 1120;
  std::size_t ranks, ranks_per_column, count;
  double width;

  explicit Columns(std::size_t rank_count)
      : ranks(rank_count),
        ranks_per_column((rank_count + max_columns - 1) / max_columns),
        count((rank_count + ranks_per_column - 1) / ranks_per_column),
        width(std::min((right - left) / double(count), 130.0)) {}
  double x(std::size_t column) const { return left + width * double(column); }
  double maximum(const std::vector<double>& values, std::size_t column) const {
    const auto first = values.begin() + std::ptrdiff_t(column * ranks_per_column);
    return *std::max_element(first, values.begin() + std::ptrdiff_t(std::min(ranks, (column + 1) * ranks_per_column)));
  }
  std::string ranks_text(std::size_t column) const {
    const std::size_t first = column * ranks_per_column, end = std::min(ranks, first + ranks_per_column);
    return end - first == 1 ? concat("rank ", first) : concat("ranks ", first, " to ", end - 1, ", at most");
  }
};

std::string drawn(const Plan::Table& table, const Columns& columns, double y) {
  std::string text =
      element("text", {{"x", "0"}, {"y", number(y + 11)}}, hover(table.name) + escaped(shortened(table.name, 20))) +
      label(212, y + 11, "end", table.size) + label(222, y + 11, "start", table.type) +
      line(Columns::left, y + row - 1, columns.x(columns.count), y + row - 1, "grid");
  for (std::size_t c = 0; c < columns.count; ++c) {
    const double share = columns.maximum(table.shares, c);
    if (share <= 0) continue;
    text += element(
        "rect",
        {{"x", number(columns.x(c) + 0.5)},
         {"y", number(y)},
         {"width", number(std::max(columns.width - 1, 1.0))},
         {"height", number(row - 2)},
         {"class", "bar s0"},
         {"fill-opacity", fixed(0.15 + 0.85 * std::min(share, 1.0), 2)}},
        hover(concat(table.name, ", ", columns.ranks_text(c), ": ", significant(100 * share, 3), " % of the table")));
  }
  return text;
}

/// Draws how full each rank is.
std::string gauges(const Plan& plan, const Columns& columns, double y) {
  std::string text =
      label(0, y + 11, "start", "taken by the plan") + label(212, y + 11, "end", "of " + bytes_text(plan.memory));
  for (std::size_t c = 0; c < columns.count; ++c) {
    const double bytes = columns.maximum(plan.taken, c), share = bytes / plan.memory;
    const double width = std::max(columns.width - 1, 1.0), x = columns.x(c) + 0.5;
    const std::string percent = significant(100 * share, 3) + " %";
    const std::string hover_text =
        hover(concat(columns.ranks_text(c), ": ", bytes_text(bytes), " of ", bytes_text(plan.memory), ", ", percent));
    text += rectangle(x, y, width, row - 2, "room", hover_text) +
            rectangle(x, y, width * std::min(share, 1.0), row - 2, "bar s1", hover_text);
    if (columns.width > 50) text += label(x + width / 2, y + 11, "middle", percent, "halo");
  }
  return text;
}

std::string legend(bool full) {
  const auto key = [](const std::string& css, const std::string& style, const std::string& word) {
    return element("span", {{"class", "key"}}, element("i", {{"class", "swatch " + css}, {"style", style}}) + word);
  };
  std::string text = "share of the table: ";
  for (const int percent : {1, 25, 50, 75, 100})
    text += key("s0", concat("opacity:", 0.15 + 0.0085 * percent), percent == 1 ? "little" : concat(percent, " %"));
  if (full) text += key("s1", "", "memory of the rank in use");
  return element("p", {{"class", "legend"}}, text);
}

std::string picture_of(const Plan& plan) {
  const Columns columns(plan.ranks);
  const std::size_t shown = std::min(plan.tables.size(), max_rows);
  std::string text = label(0, 12, "start", "table", "title") + label(212, 12, "end", "rows × columns", "title") +
                     label(222, 12, "start", "sharding", "title");
  double y = top;
  for (std::size_t t = 0; t < shown; ++t, y += row) text += drawn(plan.tables[t], columns, y);
  if (!plan.taken.empty()) {
    text += gauges(plan, columns, y + 6);
    y += row + 6;
  }
  const std::size_t every = (columns.count + 15) / 16;
  for (std::size_t c = 0; c < columns.count; c += every)
    text += label(columns.x(c) + columns.width / 2, y + 14, "middle", std::to_string(c * columns.ranks_per_column));
  const std::string column_note =
      columns.ranks_per_column > 1 ? concat("; a column shows the maximum of ", columns.ranks_per_column) : "";
  text += label((Columns::left + columns.x(columns.count)) / 2, y + 32, "middle", "rank (number" + column_note + ")",
                "title");
  return picture(1120, y + 40, "Plan", text);
}

std::string notes(const Plan& plan, const Record& start) {
  std::string text = "The largest table comes first. ";
  if (plan.tables.size() > max_rows)
    text += concat("These are the ", max_rows, " largest of ", plan.tables.size(), ". ");
  if (const double gap = start.number({"plan", "gap"}); std::isfinite(gap))
    text +=
        concat("Predicted time of the tables: ", significant(1e3 * start.number({"plan", "critical_path_seconds"}), 3),
               " ms per step, at most ", fixed(100 * gap, 1), " % above the optimal plan.");
  return element("p", {{"class", "note"}}, escaped(text));
}

}  // namespace

std::string plans(const Runs& runs) {
  struct Drawn {
    std::string legend, picture, names;
  };
  std::vector<Drawn> drawings;
  for (const Run& run : runs.all) {
    const auto plan = run.start.read({"plan"}, plan_of);
    if (!plan) continue;
    const Drawn drawing{legend(!plan->taken.empty()) + notes(*plan, run.start), picture_of(*plan), run.name};
    const auto same = std::find_if(drawings.begin(), drawings.end(), [&](const Drawn& other) {
      return other.legend == drawing.legend && other.picture == drawing.picture;
    });
    if (same == drawings.end())
      drawings.push_back(drawing);
    else
      same->names += ", " + run.name;
  }
  std::string text;
  for (const Drawn& drawing : drawings)
    text += figure("Plan: which rank holds which table, " + drawing.names, drawing.picture, drawing.legend, "wide");
  return text;
}

}  // namespace tesserec::report
