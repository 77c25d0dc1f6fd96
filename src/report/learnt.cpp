// SPDX-License-Identifier: Apache-2.0
// Page section on the trained tables and the ids of the evaluation data: a row a table.
#include <algorithm>
#include <cmath>

#include "figures.hpp"
#include "scale.hpp"
#include "svg.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::report {
namespace {

/// Figures of one table, an element of `tables` in result.json.
struct Learnt {
  std::string name, size;
  std::vector<std::string> features;
  double rows, looked_at, trained, norm, start_norm, largest;
  double share() const { return 100 * trained / looked_at; }
};

/// Shares of an evaluation's samples and ids, in percent; NaN if unknown.
struct Ids {
  std::string feature;
  double empty, unknown;
};

std::vector<Learnt> learnt_of(const Json& tables) {
  std::vector<Learnt> all;
  for (const Json& json : tables.elements()) {
    Learnt& table = all.emplace_back();
    table.name = json.at("name").string();
    for (const Json& feature : json.at("features").elements()) table.features.push_back(feature.string());
    table.rows = number_of(json.at("rows"));
    table.size = concat(tick_text(table.rows), " × ", number_of(json.at("dim")));
    table.looked_at = number_of(json.at("looked_at"));
    table.trained = number_of(json.at("trained"));
    table.norm = number_of(json.at("row_norm"));
    table.start_norm = number_of(json.at("start_norm"));
    table.largest = number_of(json.at("largest"));
  }
  return all;
}

std::vector<Ids> ids_of(const Json& features) {
  std::vector<Ids> all;
  for (const Json& feature : features.elements())
    all.push_back(
        {feature.at("name").string(), 100 * number_of(feature.at("empty")) / number_of(feature.at("samples")),
         feature.has("unknown") ? 100 * number_of(feature.at("unknown")) / number_of(feature.at("ids")) : NAN});
  return all;
}

std::string percent(double share) { return std::isfinite(share) ? significant(share, 3) + " %" : nothing; }

/// Makes the table of one run, with all figures.
std::string table_of_one(const std::vector<Learnt>& tables, const std::vector<Ids>& ids) {
  std::vector<std::vector<std::string>> rows = {{"table", "rows × columns", "rows trained", "of all", "length of a row",
                                                 "at the start", "largest number", "feature", "unknown ids",
                                                 "samples without an id"}};
  for (const Learnt& table : tables) {
    std::vector<std::string> features, unknown, empty;
    for (const std::string& feature : table.features)
      for (const Ids& shares : ids)
        if (shares.feature == feature) {
          features.push_back(escaped(feature));
          unknown.push_back(percent(shares.unknown));
          empty.push_back(percent(shares.empty));
        }
    const auto lines = [](const std::vector<std::string>& texts) {
      const bool any = std::any_of(texts.begin(), texts.end(), [](const std::string& text) { return text != nothing; });
      return any ? join(texts, "<br/>") : nothing;
    };
    const bool sampled = table.looked_at < table.rows;
    rows.push_back({escaped(table.name), table.size,
                    sampled ? "about " + tick_text(std::round(table.trained / table.looked_at * table.rows))
                            : tick_text(table.trained),
                    percent(table.share()), significant(table.norm, 3), significant(table.start_norm, 3),
                    significant(table.largest, 3),
                    features == std::vector{escaped(table.name)} ? nothing : lines(features), lines(unknown),
                    lines(empty)});
  }
  return table(rows);
}

/// Makes the table of several runs, a column each: share of trained rows and length of a row.
std::string table_of_several(const std::vector<std::pair<const Run*, std::vector<Learnt>>>& runs) {
  std::vector<std::vector<std::string>> rows = {{"table"}};
  for (const auto& [run, tables] : runs) {
    rows[0].push_back(swatch(run->css) + escaped(shortened(run->name, 24)));
    for (const Learnt& learnt : tables)
      if (std::none_of(rows.begin() + 1, rows.end(), [&](const auto& row) { return row[0] == escaped(learnt.name); }))
        rows.push_back({escaped(learnt.name)});
  }
  for (std::size_t r = 1; r < rows.size(); ++r)
    for (const auto& [run, tables] : runs) {
      const auto found = std::find_if(tables.begin(), tables.end(),
                                      [&](const Learnt& learnt) { return escaped(learnt.name) == rows[r][0]; });
      rows[r].push_back(found == tables.end() ? nothing
                                              : concat(percent(found->share()), ", ", significant(found->norm, 3)));
    }
  return table(rows);
}

}  // namespace

std::string tables_figure(const Runs& runs) {
  if (runs.many()) return "";
  std::vector<std::pair<const Run*, std::vector<Learnt>>> all;
  for (const Run& run : runs.all)
    if (auto tables = run.result.read({"tables"}, learnt_of); tables && !tables->empty())
      all.emplace_back(&run, *tables);
  if (all.empty()) return "";
  const std::string about =
      "A row counts as trained if its first numbers differ from their start values. The length of a row is the root "
      "mean square over all rows. ";
  const std::string note =
      all.size() == 1 ? about + "Unknown ids (id 0) and samples without an id are those of the last evaluation."
                      : about + "Each cell shows the share of rows trained and the length of a row.";
  const std::string tables =
      all.size() == 1
          ? table_of_one(all[0].second, all[0].first->result.read({"features"}, ids_of).value_or(std::vector<Ids>()))
          : table_of_several(all);
  return element("div", {{"class", "wide"}},
                 element("h3", {}, "Tables") + element("p", {{"class", "note"}}, note) + tables) +
         "\n";
}

}  // namespace tesserec::report
