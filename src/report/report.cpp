// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include "figures.hpp"
#include "svg.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/report/report.hpp>

namespace tesserec::report {
namespace {

// Colors s0 to s5 are from Okabe and Ito, "Color Universal Design" (2008), without black and yellow. They are a little
// darker on white and lighter on black, and each has dashes of its own. Any two are at least 12 apart in Lab for all
// kinds of color vision (Machado and others, 2009). Colors q0 (best) to q8 are viridis (van der Walt and Smith, 2015)
// without the end that the background hides.
constexpr const char* style = R"(
:root { color-scheme: light dark; --page: #ffffff; --ink: #1c2024; --soft: #5d666f; --grid: #e4e7ea; --box: #f6f7f8;
  --s0: #0072b2; --s1: #d55e00; --s2: #008a66; --s3: #b8588f; --s4: #6b4a00; --s5: #2f97d0;
  --q0: #6b8f00; --q1: #35a05a; --q2: #229b7a; --q3: #21918c; --q4: #2a788e; --q5: #355f8d; --q6: #414487; --q7: #482475; --q8: #440154; }
@media screen and (prefers-color-scheme: dark) { :root { --page: #15181c; --ink: #e6e9ec; --soft: #a3acb5; --grid: #2b3138; --box: #1d2126;
  --s0: #4aa8e0; --s1: #f0803c; --s2: #1fc39a; --s3: #e08fc0; --s4: #e69f00; --s5: #9ad4f5;
  --q0: #fde725; --q1: #bddf26; --q2: #7ad151; --q3: #44bf70; --q4: #22a884; --q5: #21a5a0; --q6: #3f9ab5; --q7: #6d8fd0; --q8: #9a86d6; } }
body { margin: 0 auto; padding: 16px 24px 48px; max-width: 1180px; background: var(--page); color: var(--ink);
  font: 15px/1.45 system-ui, "Liberation Sans", Arial, sans-serif; }
h1 { font-size: 24px; margin: 8px 0 2px; } h2 { font-size: 18px; margin: 28px 0 8px; } h3 { font-size: 15px; margin: 0; }
p { margin: 4px 0; } .note, .legend, .sub { color: var(--soft); font-size: 13px; }
main { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 500px), 1fr)); gap: 18px 24px; }
main > h2, .wide { grid-column: 1 / -1; } main > h2 { margin-bottom: -8px; }
figure { margin: 0; min-width: 0; break-inside: avoid; } figcaption { margin-bottom: 4px; }
svg { display: block; max-width: 100%; height: auto; } svg text { font-size: 12px; fill: var(--ink); } svg .title { fill: var(--soft); }
.axis { stroke: var(--soft); stroke-width: 1; } .grid { stroke: var(--grid); stroke-width: 1; }
.diagonal { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 2 4; } .reference { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 6 3; stroke-opacity: 0.7; }
.mark { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 1 3; stroke-opacity: 0.7; }
.halo { paint-order: stroke; stroke: var(--page); stroke-width: 4px; }
.line { stroke: var(--c); stroke-width: 1.8; } .line polyline { fill: none; stroke-linejoin: round; } .line circle { fill: var(--c); stroke: none; }
.line .leader { stroke-width: 1; stroke-opacity: 0.6; stroke-dasharray: 1 4; } .line:hover { stroke-width: 3.5; }
.line.faint { stroke-width: 1; stroke-opacity: 0.3; stroke-dasharray: none; } .bar, .dot circle { fill: var(--c); }
.nothing { --c: var(--soft); stroke-width: 1; stroke-dasharray: 3 4; } .peak line { stroke: var(--ink); stroke-width: 2; }
.s0 { --c: var(--s0); } .s1 { --c: var(--s1); } .s2 { --c: var(--s2); } .s3 { --c: var(--s3); } .s4 { --c: var(--s4); } .s5 { --c: var(--s5); }
.s1 { stroke-dasharray: 7 3; } .s2 { stroke-dasharray: 2 3; } .s3 { stroke-dasharray: 9 3 2 3; } .s4 { stroke-dasharray: 1 4; } .s5 { stroke-dasharray: 12 4; }
.bar { stroke-dasharray: none; } .room { fill: none; stroke: var(--soft); }
[class*=" q"] { stroke-width: 1.3; stroke-opacity: 0.85; } .line.best { stroke-width: 3; }
.q0 { --c: var(--q0); } .q1 { --c: var(--q1); } .q2 { --c: var(--q2); } .q3 { --c: var(--q3); } .q4 { --c: var(--q4); }
.q5 { --c: var(--q5); } .q6 { --c: var(--q6); } .q7 { --c: var(--q7); } .q8 { --c: var(--q8); }
.swatch { display: inline-block; width: 14px; height: 10px; margin-right: 6px; background: var(--c); } .legend .swatch { margin-right: 3px; }
.swatch.peak { height: 0; border-top: 2px solid var(--ink); vertical-align: middle; } .key { margin-right: 14px; white-space: nowrap; }
.switched { position: relative; } .switched > input { position: absolute; opacity: 0; }
.switch { display: inline-flex; margin-left: 12px; font-size: 12px; vertical-align: 1px; } .switched h3 { display: inline; }
.switch label { padding: 1px 9px; border: 1px solid var(--grid); color: var(--soft); cursor: pointer; }
.pick0:checked ~ figcaption label:nth-of-type(1), .pick1:checked ~ figcaption label:nth-of-type(2), .pick2:checked ~ figcaption label:nth-of-type(3) { background: var(--box); color: var(--ink); border-color: var(--soft); }
input:focus-visible ~ figcaption .switch { outline: 2px solid var(--s0); }
.pick0:checked ~ .view1, .pick0:checked ~ .view2, .pick1:checked ~ .view0, .pick1:checked ~ .view2, .pick2:checked ~ .view0, .pick2:checked ~ .view1 { display: none; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(165px, 1fr)); gap: 8px; } .tile { background: var(--box); padding: 6px 10px; min-width: 0; overflow-wrap: anywhere; }
.tile span, small { display: block; color: var(--soft); font-size: 12px; } .tile b { display: block; font-size: 18px; line-height: 1.3; font-weight: 600; }
.tile.long { grid-column: span 2; } .tile.long b, .tile.middle b { font-size: 13px; font-weight: 500; line-height: 1.7; } .tile.middle b { font-size: 12px; white-space: nowrap; letter-spacing: -0.2px; }
a { color: var(--s0); } table.first td { vertical-align: top; } table.first td:first-child, table.first th:first-child { position: sticky; left: 0; background: var(--page); }
.name { display: inline-block; vertical-align: top; width: 210px; white-space: normal; overflow-wrap: anywhere; } td small { white-space: normal; min-width: 100px; max-width: 320px; } td small.long { min-width: 260px; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: 13px; margin-bottom: 14px; }
th, td { text-align: left; padding: 3px 14px 3px 0; border-bottom: 1px solid var(--grid); white-space: nowrap; font-variant-numeric: tabular-nums; }
th { color: var(--soft); font-weight: 600; } pre { background: var(--box); padding: 10px; max-height: 480px; overflow: auto; font-size: 12px; }
code, p { overflow-wrap: anywhere; }
@media screen and (max-width: 600px) { .name { width: 110px; } }
@media screen { .wide { overflow-x: auto; } .wide svg { min-width: 900px; } }
@media print { :root { color-scheme: light; } .switch { display: none; } body { max-width: none; padding: 0; font-size: 11px; } main { grid-template-columns: 1fr 1fr; }
  .swatch, .bar { print-color-adjust: exact; -webkit-print-color-adjust: exact; } th, td, pre { white-space: pre-wrap; padding-right: 8px; } .scroll { overflow: visible; } pre { max-height: none; overflow: visible; } table { font-size: 9px; } small, .tile span { font-size: 8px; } .tile b { font-size: 12px; }
  table.first, table.first tbody { display: block; } table.first tr { display: flex; flex-wrap: wrap; break-inside: avoid; border-bottom: 1px solid var(--grid); } table.first tr:first-child { display: none; }
  table.first td { display: block; border: 0; padding: 1px 12px 1px 0; } table.first td:first-child { flex-basis: 100%; position: static; font-size: 11px; } .name { width: auto; }
  table.first td::before { content: attr(data-name); display: block; color: var(--soft); font-size: 8px; } td small.long { min-width: 0; } }
)";

/// Makes a whole HTML page in XHTML's syntax, with its style sheet: light or dark as the reader's browser is set, light
/// in print.
std::string html_page(const std::string& title, const std::string& body) {
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><meta name=\"viewport\" "
         "content=\"width=device-width, initial-scale=1\"/><link rel=\"icon\" href=\"data:,\"/>\n" +
         element("title", {}, escaped(title)) + element("style", {}, style) + "</head>\n" + element("body", {}, body) +
         "</html>\n";
}

namespace files = std::filesystem;

/// Reads the folders. Adds warnings, and the states of points without curves, to the page.
Runs read(const std::vector<std::string>& folders, Page& page) {
  Runs runs;
  for (const std::string& folder : folders) {
    if (!files::is_directory(folder)) fail(folder, ": there is no such folder; give the folder of a run or of a sweep");
    if (!files::exists(folder + "/sweep.json")) {
      runs.all.push_back(read_run(folder));
      continue;
    }
    const Sweep& sweep = runs.sweeps.emplace_back(read_sweep(folder, page.warnings));
    std::size_t without_metrics = 0;
    for (const Sweep::Point& point : sweep.points) {
      const std::string point_folder = folder_of(sweep, point), metrics = point_folder + "/metrics.jsonl";
      std::error_code error;
      if (files::exists(metrics) && files::file_size(metrics, error) > 0) {
        runs.all.emplace_back(read_run(point_folder)).css = point.css;
        continue;
      }
      ++without_metrics;
      RunState& state = page.states.emplace_back();
      state.folder = point_folder;
      state.end.state = point.state;
      state.steps = point.steps;
    }
    if (without_metrics > 0)
      page.warnings.push_back(concat(folder, ": ", without_metrics, " of ", counted(std::ssize(sweep.points), "point"),
                                     " have no metrics.jsonl, so their curves are not on the page"));
  }
  choose_colors(runs);
  return runs;
}

/// Renames runs that have the same name after their folders' paths.
void disambiguate_names(std::vector<Run>& runs) {
  std::vector<std::string> names;
  for (const Run& run : runs) names.push_back(run.name);
  for (Run& run : runs)
    if (std::count(names.begin(), names.end(), run.name) > 1) run.name = run.folder;
}

std::string under(const std::string& title, const std::string& figures) {
  return figures.empty() ? "" : element("h2", {}, escaped(title)) + "\n" + figures;
}

}  // namespace

Page make_page(const std::vector<std::string>& folders, const std::string& page_file) {
  Page page;
  Runs runs = read(folders, page);
  disambiguate_names(runs.all);
  page.runs = runs.all.size();
  std::vector<RunState> states;
  for (const Run& run : runs.all) states.push_back({run.folder, run.end, run.steps});
  page.states.insert(page.states.begin(), states.begin(), states.end());

  const Links links(page_file.empty() ? folders.front() + "/report.html" : page_file);
  std::string sweeps, machine_figures;
  for (const Sweep& sweep : runs.sweeps)
    sweeps += parallel_coordinates(sweep) + element("div", {{"class", "wide"}}, table_of_shares(sweep));
  if (!runs.many()) machine_figures = memory(runs) + plans(runs);
  const std::string title =
      folders.size() == 1 ? folders.front() : concat(folders.front(), " and ", folders.size() - 1, " more");
  std::string body = element("h1", {}, escaped(title));
  body +=
      under(runs.sweeps.empty() ? runs.all.size() == 1 ? "Run" : "Runs" : "Points", summary(runs, links)) +
      under("Keys that changed between starts", table_of_changes(runs)) + under("Logs", logs(runs, links)) +
      element("main", {},
              under("Sweep", sweeps) + under("Training", curves(runs)) + under("Scores", calibration(runs)) +
                  under("Features and tables", importances(runs) + tables_figure(runs) + caches(runs) + growth(runs)) +
                  under("Machine", phases(runs) + machine_figures)) +
      under("All keys that differ", table_of_keys(runs)) + under("Machine and versions", table_of_machines(runs));
  if (!runs.all.empty())
    body += under(runs.all.size() > 1 ? "Deck of " + runs.all.front().name : "Deck", deck(runs.all.front()));
  page.html = html_page(title + " - Tesserec", body);
  return page;
}

}  // namespace tesserec::report
