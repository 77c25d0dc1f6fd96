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

/// A run in the first column of a table.
std::string named(const Run& run) { return swatch(run.css) + escaped(run.name); }

/// The last value of a metric of evaluations, with its step where the run has trained on since.
std::string evaluated_text(const Run& run, const char* metric) {
  const std::string text = number_text(run.last(metric), 5);
  return text == nothing || run.evaluated == run.steps ? text
                                                       : concat(text, " at step ", significant(run.evaluated, 12));
}

/// Of the run's first start. An older version's run.json knows the newest alone.
std::string first_start(const Run& run) {
  if (!run.starts.empty()) return escaped(run.starts.front().time);
  const std::string time = escaped(run.start.text({"start_time"}));
  const double step = run.start.number({"from_step"});
  return step > 0 ? concat("before ", time, ", when it went on from step ", significant(step, 12)) : time;
}

/// "35 s", "2.5 h".
std::string duration_text(double seconds) {
  if (seconds < 120) return significant(std::round(seconds), 3) + " s";
  if (seconds < 2 * 3600) return significant(seconds / 60, 3) + " min";
  return significant(seconds / 3600, 3) + " h";
}

/// "3: from step 0, from step 40 after 35 s, ...".
std::string starts_text(const Run& run) {
  constexpr std::size_t most = 8;
  if (run.starts.size() < 2) return nothing;
  const std::size_t skipped = run.starts.size() - std::min(run.starts.size(), most);
  double gaps = 0;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < run.starts.size(); ++i) {
    const Start& start = run.starts[i];
    const std::string after = i > 0 && std::isfinite(start.gap) ? " after " + duration_text(start.gap) : "";
    if (std::isfinite(start.gap)) gaps += start.gap;
    if (i >= skipped) texts.push_back(concat("from step ", significant(start.from_step, 12), after));
  }
  return concat(run.starts.size(), ", with gaps of ", duration_text(gaps), ": ",
                skipped > 0 ? concat(skipped, " more, ") : "", join(texts));
}

/// "node1 (4 ranks), node2 (4 ranks)".
std::string hosts_text(const Json& hosts) {
  constexpr std::size_t most = 8;
  std::vector<std::string> names;
  for (const Json& host : hosts.elements())
    names.push_back(concat(host.at("name").string(), " (", counted(host.at("ranks").integer(), "rank"), ")"));
  const std::size_t more = names.size() - std::min(names.size(), most);
  names.resize(names.size() - more);
  return join(names) + (more > 0 ? concat(" and ", more, " more") : "");
}

}  // namespace

std::string table_of_runs(const Runs& runs) {
  if (runs.all.empty()) return "";
  std::vector<std::vector<std::string>> rows = {{"run", "end", "steps", "samples", "loss", "AUC", "NE", "samples/s",
                                                 "ranks", "peak memory of a rank", "first started (UTC)", "starts",
                                                 "ended (UTC)"}};
  for (const Run& run : runs.all) {
    const double peak = run.result.number({"peak_memory_bytes"});
    rows.push_back({named(run),
                    escaped(run.end.text() + (run.cut ? ", its last line was cut" : "") +
                            (run.end.stale ? ", an earlier start's result.json is left out" : "")),
                    number_text(run.steps, 12), size_text(run.samples), number_text(run.closing_loss(), 5),
                    evaluated_text(run, "auc"), evaluated_text(run, "ne"), size_text(run.last("samples_per_second")),
                    number_text(run.start.number({"ranks"}), 9), std::isfinite(peak) ? bytes_text(peak) : nothing,
                    first_start(run), starts_text(run), escaped(run.result.text({"end_time"}))});
  }
  return colour_scale(runs.scale) + table(rows);
}

std::string table_of_points(const Sweep& sweep) {
  std::vector<std::vector<std::string>> rows = {{"point", "state", escaped(sweep.metric), "samples"}};
  for (const Sweep::Key& key : sweep.keys) rows[0].push_back(escaped(key.name));
  for (const Sweep::Point& point : sweep.points) {
    rows.push_back({swatch(point.css) + escaped(point.name),
                    escaped(point.state + (point.newer ? ", since sweep.json" : "")), number_text(point.metric, 6),
                    size_text(point.samples)});
    for (const Json& value : point.values) rows.back().push_back(escaped(value_text(value)));
  }
  return table(rows);
}

std::string table_of_shares(const Sweep& sweep) {
  const auto newer = std::count_if(sweep.points.begin(), sweep.points.end(), [](const auto& p) { return p.newer; });
  std::vector<std::vector<std::string>> rows = {
      {"key",
       concat("share of the variance of ", escaped(sweep.metric), " that it alone accounts for",
              newer > 0 ? concat(", before ", counted(newer, "point"), " came") : ""),
       "better"}};
  for (const Sweep::Key& key : sweep.keys)
    rows.push_back({escaped(key.name), number_text(key.share, 3), escaped(key.better)});
  return table(rows);
}

std::string table_of_keys(const Runs& runs) {
  std::vector<std::string> names;
  std::vector<std::map<std::string, std::string>> decks;
  for (const Run& run : runs.all) {
    const std::string newest = run.start.text({"deck"});
    for (std::size_t i = 0; i + 1 < run.starts.size(); ++i)
      if (!run.starts[i].deck.empty()) {
        names.push_back(named(run) + concat(", until start ", i + 1));
        decks.push_back(keys_of(run.starts[i].deck));
      }
    names.push_back(named(run));
    decks.push_back(keys_of(newest));
  }
  const std::vector<std::string> keys = differing_keys(decks);
  if (decks.size() < 2 || keys.empty()) return "";
  std::vector<std::vector<std::string>> rows = {{"run"}};
  for (const std::string& key : keys) rows[0].push_back(escaped(key));
  for (std::size_t i = 0; i < decks.size(); ++i) {
    rows.push_back({names[i]});
    for (const std::string& key : keys)
      rows.back().push_back(decks[i].contains(key) ? escaped(shortened(decks[i][key], 60)) : nothing);
  }
  return table(rows);
}

std::string table_of_machines(const Runs& runs) {
  // Runs of the same machine share a row.
  std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> machines;  // cells, names
  for (const Run& run : runs.all) {
    if (!run.start.there()) continue;
    std::vector<std::string> cells = {escaped(run.start.read({"hosts"}, hosts_text).value_or(nothing))};
    for (const char* const key : {"instruction_set", "backend", "kernels", "gpu", "communicator", "versions"}) {
      const std::string text = run.start.text({key});
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

std::string colour_scale(const std::string& metric) {
  if (metric.empty()) return "";
  std::string text = "colours by " + escaped(metric) + ", place by place: best ";
  for (int colour = 0; colour < 9; ++colour) text += swatch(concat("q", colour));
  return element("p", {{"class", "legend"}}, text + " worst");
}

}  // namespace tesserec::report
