// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "decks.hpp"
#include "figures.hpp"
#include "scale.hpp"
#include "svg.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::report {
namespace {

const std::string nothing = "–";

/// Rows of cells, the first a head; cells are markup. A column in which no row has anything is left out.
std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<bool> filled(rows[0].size());
  for (std::size_t r = 1; r < rows.size(); ++r)
    for (std::size_t c = 0; c < rows[r].size(); ++c)
      filled[c] = filled[c] || (rows[r][c] != nothing && !rows[r][c].empty());
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string cells;
    for (std::size_t c = 0; c < rows[r].size(); ++c)
      if (filled[c]) cells += element(r == 0 ? "th" : "td", {}, rows[r][c]);
    text += element("tr", {}, cells) + "\n";
  }
  return element("div", {{"class", "scroll"}}, element("table", {}, text)) + "\n";
}

std::string swatch(const std::string& css) { return element("i", {{"class", "swatch " + css}}); }

std::string number_text(double value, int digits) {
  return std::isfinite(value) ? significant(value, digits) : nothing;
}
std::string size_text(double value) { return std::isfinite(value) ? tick_text(std::round(value)) : nothing; }

std::string section(const std::string& title, const std::string& content) {
  return element("h2", {}, escaped(title)) + content;
}

}  // namespace

std::string table_of_runs(const Runs& runs) {
  std::vector<std::vector<std::string>> rows = {{"run", "end", "steps", "samples", "loss", "AUC", "NE", "samples/s",
                                                 "ranks", "peak memory of a rank", "started (UTC)", "ended (UTC)"}};
  for (std::size_t k = 0; k < runs.all.size(); ++k) {
    const std::size_t i = runs.many() ? runs.all.size() - 1 - k : k;  // the best of many first
    const Run& run = runs.all[i];
    const double peak = number_in(run.result, {"peak_memory_bytes"});
    const Curve& any = run.train.empty() ? run.evaluate.begin()->second : run.train.begin()->second;
    rows.push_back({swatch(runs.css[i]) + escaped(run.name),
                    escaped(run.end() + (run.cut ? ", its last line was cut" : "")), number_text(run.steps, 12),
                    size_text(any.samples.back()), number_text(run.last("loss"), 5), number_text(run.last("auc"), 5),
                    number_text(run.last("ne"), 5), size_text(run.last("samples_per_second")),
                    number_text(number_in(run.start, {"ranks"}), 9), std::isfinite(peak) ? bytes_text(peak) : nothing,
                    escaped(text_in(run.start, {"start_time"})), escaped(text_in(run.result, {"end_time"}))});
  }
  return section("Runs", colour_scale(runs.scale) + table(rows));
}

std::string table_of_points(const Sweep& sweep) {
  std::vector<std::vector<std::string>> rows = {{"point", "state", escaped(sweep.metric), "samples"}};
  std::vector<double> worth;
  for (const Sweep::Key& key : sweep.keys) rows[0].push_back(escaped(key.name));
  for (const Sweep::Point& point : sweep.points) worth.push_back(point.metric);
  const auto with = std::size_t(std::count_if(worth.begin(), worth.end(), [](double m) { return std::isfinite(m); }));
  const std::vector<std::size_t> order = best_first(worth, sweep.less_is_better);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const Sweep::Point& point = sweep.points[order[place]];
    rows.push_back({swatch(place < with ? scale_css(place, with) : "nothing") + escaped(point.name),
                    escaped(point.state), number_text(point.metric, 6), size_text(point.samples)});
    for (const Json& value : point.values) rows.back().push_back(escaped(value_text(value)));
  }
  return table(rows);
}

std::string table_of_shares(const Sweep& sweep) {
  std::vector<std::vector<std::string>> rows = {
      {"key", concat("share of the variance of ", escaped(sweep.metric), " that it alone accounts for"), "better"}};
  for (const Sweep::Key& key : sweep.keys)
    rows.push_back({escaped(key.name), number_text(key.share, 3), escaped(key.better)});
  return table(rows);
}

std::string table_of_keys(const Runs& runs) {
  if (runs.all.size() < 2) return "";
  std::vector<std::map<std::string, std::string>> decks;
  for (const Run& run : runs.all) decks.push_back(keys_of(text_in(run.start, {"deck"})));
  const std::vector<std::string> keys = differing_keys(decks);
  if (keys.empty()) return "";
  std::vector<std::vector<std::string>> rows = {{"run"}};
  for (const std::string& key : keys) rows[0].push_back(escaped(key));
  for (std::size_t i = 0; i < decks.size(); ++i) {
    rows.push_back({swatch(runs.css[i]) + escaped(runs.all[i].name)});
    for (const std::string& key : keys)
      rows.back().push_back(decks[i].contains(key) ? escaped(shortened(decks[i][key], 60)) : nothing);
  }
  return section("Keys that differ", table(rows));
}

std::string table_of_machines(const Runs& runs) {
  std::vector<std::vector<std::string>> rows = {
      {"run", "hosts", "instruction set", "Kokkos", "kernels", "GPU", "between devices", "versions"}};
  for (std::size_t i = 0; i < runs.all.size(); ++i) {
    const Run& run = runs.all[i];
    if (!run.start) continue;
    std::string hosts;
    std::size_t count = 0;
    if (const Json* const all = member_of(run.start, {"hosts"}))
      for (const Json& host : all->elements())
        if (++count <= 8)
          hosts += concat(count > 1 ? ", " : "", host.at("name").string(), " (",
                          counted(host.at("ranks").integer(), "rank"), ")");
    if (count > 8) hosts += concat(" and ", count - 8, " more");
    rows.push_back({swatch(runs.css[i]) + escaped(run.name), escaped(hosts)});
    for (const char* const key : {"instruction_set", "backend", "kernels", "gpu", "communicator", "versions"}) {
      const std::string text = text_in(run.start, {key});
      rows.back().push_back(text.empty() ? nothing : escaped(text));
    }
  }
  return rows.size() == 1 ? "" : section("Machine and versions", table(rows));
}

std::string deck(const Runs& runs) {
  const Run& run = runs.many() ? runs.all.back() : runs.all.front();  // the best of many
  const std::string all = text_in(run.start, {"deck"});
  if (all.empty()) return "";
  std::string words = "tesserec";
  if (const Json* const argv = member_of(run.start, {"argv"}))
    for (const Json& word : argv->elements()) words += " " + word.string();
  const auto folded = [](const std::string& title, const std::string& text) {
    return element("details", {}, element("summary", {}, escaped(title)) + element("pre", {}, escaped(text)));
  };
  return section(
      runs.all.size() > 1 ? "Deck of " + run.name : "Deck",
      element("p", {}, element("code", {}, escaped(words))) +
          folded("as it was written: " + text_in(run.start, {"deck_file"}), text_in(run.start, {"deck_text"})) +
          folded("every key, as the program understood it", all));
}

std::string value_text(const Json& value) {
  if (value.kind() == Json::Kind::string) return value.string();
  return value.kind() == Json::Kind::number ? significant(value.number(), 8) : value.text();
}

std::string colour_scale(const std::string& metric) {
  if (metric.empty()) return "";
  std::string text = "colours by " + escaped(metric) + ", place by place: best ";
  for (int colour = 0; colour < 9; ++colour) text += swatch(concat("q", colour));
  return element("p", {{"class", "legend"}}, text + " worst");
}

}  // namespace tesserec::report
