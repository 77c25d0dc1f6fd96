// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "figures.hpp"
#include "rows.hpp"
#include "svg.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::report {
namespace {

/// Makes the first cell of a run's row: its color and name.
std::string named(const Run& run) { return swatch(run.css) + escaped(run.name); }

/// Formats hosts as "node1 (4 ranks), node2 (4 ranks)".
std::string hosts_text(const Json& hosts) {
  constexpr std::size_t max_hosts = 8;
  std::vector<std::string> names;
  for (const Json& host : hosts.elements())
    names.push_back(concat(host.at("name").string(), " (", counted(host.at("ranks").integer(), "rank"), ")"));
  const std::size_t more = names.size() - std::min(names.size(), max_hosts);
  names.resize(names.size() - more);
  return join(names) + (more > 0 ? concat(" and ", more, " more") : "");
}

}  // namespace

std::string table_of_shares(const Sweep& sweep) {
  const auto newer = std::count_if(sweep.points.begin(), sweep.points.end(), [](const auto& p) { return p.newer; });
  std::vector<std::vector<std::string>> rows = {
      {"key",
       concat("share of the variance of ", escaped(sweep.metric), " that it alone explains",
              newer > 0 ? concat(", without ", counted(newer, "newer point")) : ""),
       "better"}};
  for (const Sweep::Key& key : sweep.keys)
    rows.push_back(
        {escaped(key.name), std::isfinite(key.share) ? significant(key.share, 3) : nothing, escaped(key.better)});
  return table(rows);
}

std::string table_of_changes(const Runs& runs) {
  std::string tables;
  for (const Run& run : runs.all) {
    std::vector<std::string> names;
    std::vector<std::map<std::string, std::string>> decks;
    for (std::size_t i = 0; i + 1 < run.starts.size(); ++i)
      if (!run.starts[i].deck.empty()) {
        names.push_back(named(run) + concat(", until start ", i + 1));
        decks.push_back(keys_of(run.starts[i].deck));
      }
    names.push_back(named(run) + ", now");
    decks.push_back(keys_of(run.start.text({"deck"})));
    const std::vector<std::string> keys = differing_keys(decks);
    if (decks.size() < 2 || keys.empty()) continue;
    std::vector<std::vector<std::string>> rows = {{"run"}};
    for (const std::string& key : keys) rows[0].push_back(escaped(key));
    for (std::size_t i = 0; i < decks.size(); ++i) {
      rows.push_back({names[i]});
      for (const std::string& key : keys)
        rows.back().push_back(decks[i].contains(key) ? escaped(shortened(decks[i][key], 60)) : nothing);
    }
    tables += table(rows);
  }
  return tables;
}

std::string table_of_keys(const Runs& runs) {
  const std::vector<Row> rows = rows_of(runs);
  const std::vector<Column> keys = columns_of_keys(rows);
  if (keys.size() <= most_key_columns) return "";
  if (rows.size() > Runs::few)
    return element("p", {},
                   concat(keys.size(), " keys differ, of which the table above has ", most_key_columns,
                          "; a report of at most ", Runs::few, " runs lists all"));
  std::vector<std::vector<std::string>> cells = {{"key"}};
  for (const Row& row : rows) cells[0].push_back(swatch(row.css) + escaped(row.name));
  for (const Column& key : keys) {
    cells.push_back({escaped(key.name)});
    for (const Cell& cell : key.cells) cells.back().push_back(cell.text.empty() ? nothing : cell.text);
  }
  return table(cells);
}

std::string table_of_machines(const Runs& runs) {
  // Runs on equal machines share a row.
  std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> machines;  // {cells, names of runs}
  for (const Run& run : runs.all) {
    if (!run.start.exists()) continue;
    std::vector<std::string> cells = {escaped(run.start.read({"hosts"}, hosts_text).value_or(nothing))};
    for (const char* const key : {"instruction_set", "backend", "kernels", "gpu", "communicator", "versions"}) {
      const bool between_devices = std::string_view(key) == "communicator";
      const std::string text = between_devices && run.start.text({"gpu"}).empty() ? "" : run.start.text({key});
      cells.push_back(text.empty() ? nothing : escaped(text));
    }
    auto same = std::find_if(machines.begin(), machines.end(), [&](const auto& m) { return m.first == cells; });
    if (same == machines.end()) same = machines.insert(same, {cells, {}});
    same->second.push_back(named(run));
  }
  if (machines.empty()) return "";
  std::vector<std::vector<std::string>> rows = {
      {"run", "hosts", "instruction set", "Kokkos", "kernels", "GPU", "between devices", "versions"}};
  for (const auto& [cells, names] : machines) {
    const bool few = names.size() <= Runs::few;
    rows.push_back({few ? join(names, "<br/>") : counted(std::ssize(names), "run")});
    rows.back().insert(rows.back().end(), cells.begin(), cells.end());
  }
  return table(rows);
}

std::string value_text(const Json& value) {
  if (value.kind() == Json::Kind::string) return value.string();
  return value.kind() == Json::Kind::number ? significant(value.number(), 8) : value.text();
}

std::string color_scale(const std::string& metric) {
  if (metric.empty()) return "";
  std::string text = "colors by " + escaped(metric) + ", place by place: best ";
  for (int color = 0; color < 9; ++color) text += swatch(concat("q", color));
  return element("p", {{"class", "legend"}}, text + " worst");
}

std::string deck(const Run& run) {
  const std::string all = run.start.text({"deck"});
  if (all.empty()) return "";
  const auto words = run.start.read({"argv"}, [](const Json& argv) {
    return join(argv.elements(), "", [](const Json& word) { return " " + word.string(); });
  });
  const auto headed = [](const std::string& title, const std::string& text) {
    return element("h3", {}, escaped(title)) + element("pre", {}, escaped(text));
  };
  return element("p", {}, element("code", {}, "tesserec" + escaped(words.value_or("")))) +
         headed("Deck as written: " + run.start.text({"deck_file"}), run.start.text({"deck_text"})) +
         headed("Effective deck: every key", all);
}

}  // namespace tesserec::report
