// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "chart.hpp"
#include "figures.hpp"
#include "svg.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::report {
namespace {

constexpr std::size_t most_rows = 40, most_columns = 64;

struct Table {
  std::string name, size, type;
  double numbers = 0;
  std::vector<double> shares;  // [rank] of its numbers
};

Table table_of(const Json& json, std::size_t ranks) {
  const double rows = json.at("rows").number(), columns = json.at("dim").number();
  Table table{json.at("name").string(), concat(tick_text(rows), " × ", columns), json.at("type").string(),
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

std::string legend() {
  std::string text = "share of the table: ";
  for (const int percent : {1, 25, 50, 75, 100})
    text += element("span", {{"class", "key"}},
                    element("i", {{"class", "swatch s0"}, {"style", concat("opacity:", 0.15 + 0.0085 * percent)}}) +
                        concat(percent == 1 ? "little" : concat(percent, " %")));
  return element("p", {{"class", "legend"}}, text);
}

}  // namespace

std::string plan(const Run& run) {
  const Json* const json = member_of(run.start, {"plan"});
  if (json == nullptr) return "";
  const auto ranks = std::size_t(std::max(1.0, json->at("ranks").number()));
  std::vector<Table> tables;
  for (const Json& table : json->at("tables").elements()) tables.push_back(table_of(table, ranks));
  std::stable_sort(tables.begin(), tables.end(), [](const Table& a, const Table& b) { return a.numbers > b.numbers; });
  const std::size_t shown = std::min(tables.size(), most_rows);
  const std::size_t together = (ranks + most_columns - 1) / most_columns, columns = (ranks + together - 1) / together;
  const double left = 330, right = 1120, row = 15, top = 22;
  const double width = std::min((right - left) / double(columns), 130.0), bottom = top + row * double(shown);
  std::string text = label(0, 12, "start", "table", "title") + label(212, 12, "end", "rows × columns", "title") +
                     label(222, 12, "start", "sharding", "title");
  for (std::size_t t = 0; t < shown; ++t) {
    const Table& table = tables[t];
    const double y = top + row * double(t);
    text +=
        element("text", {{"x", "0"}, {"y", number(y + 11)}}, hover(table.name) + escaped(shortened(table.name, 20))) +
        label(212, y + 11, "end", table.size) + label(222, y + 11, "start", table.type) +
        line(left, y + row - 1, left + width * double(columns), y + row - 1, "grid");
    for (std::size_t c = 0; c < columns; ++c) {
      double share = 0;
      const std::size_t last = std::min(ranks, (c + 1) * together);
      for (std::size_t rank = c * together; rank < last; ++rank) share = std::max(share, table.shares[rank]);
      if (share <= 0) continue;
      const std::string who = last - c * together == 1 ? concat("rank ", c * together)
                                                       : concat("ranks ", c * together, " to ", last - 1, ", at most");
      text += element("rect",
                      {{"x", number(left + width * double(c) + 0.5)},
                       {"y", number(y)},
                       {"width", number(std::max(width - 1, 1.0))},
                       {"height", number(row - 2)},
                       {"class", "bar s0"},
                       {"fill-opacity", fixed(0.15 + 0.85 * std::min(share, 1.0), 2)}},
                      hover(concat(table.name, ", ", who, ": ", significant(100 * share, 3), " % of the table")));
    }
  }
  const std::size_t every = (columns + 15) / 16;
  for (std::size_t c = 0; c < columns; c += every)
    text += label(left + width * (double(c) + 0.5), bottom + 14, "middle", std::to_string(c * together));
  text +=
      label(left + width * double(columns) / 2, bottom + 32, "middle",
            together > 1 ? concat("rank (number; a column is the most of ", together, ")") : "rank (number)", "title");
  std::string notes = "The largest table comes first. ";
  if (tables.size() > shown) notes += concat("These are the ", shown, " largest of ", tables.size(), ". ");
  if (const double gap = number_in(run.start, {"plan", "gap"}); std::isfinite(gap))
    notes += concat("By the prediction they take ",
                    significant(1e3 * number_in(run.start, {"plan", "critical_path_seconds"}), 3),
                    " ms of a step, at most ", fixed(100 * gap, 1), " % above the best plan.");
  return figure("Plan: who holds what, " + run.name, picture(1120, bottom + 40, "Plan", text),
                legend() + element("p", {{"class", "note"}}, escaped(notes)), "wide");
}

}  // namespace tesserec::report
