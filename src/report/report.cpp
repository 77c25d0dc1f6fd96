// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include "figures.hpp"
#include "page.hpp"
#include "svg.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/report/report.hpp>

namespace tesserec::report {
namespace {

namespace files = std::filesystem;

/// Reads the folders. Warnings and the states of points without curves are the page's.
Runs read(const std::vector<std::string>& folders, Page& page) {
  Runs runs;
  for (const std::string& folder : folders) {
    if (!files::is_directory(folder)) fail(folder, ": no such folder; give the folder of a run or of a sweep");
    if (!files::exists(folder + "/sweep.json")) {
      runs.all.push_back(read_run(folder));
      continue;
    }
    const Sweep& sweep = runs.sweeps.emplace_back(read_sweep(folder, page.warnings));
    std::size_t without = 0;
    for (const Sweep::Point& point : sweep.points) {
      const std::string at = folder_of(sweep, point), metrics = at + "/metrics.jsonl";
      std::error_code error;
      if (files::exists(metrics) && files::file_size(metrics, error) > 0) {
        runs.all.emplace_back(read_run(at)).css = point.css;
        continue;
      }
      ++without;
      RunState& state = page.states.emplace_back();
      state.folder = at;
      state.end.state = point.state;
      state.steps = point.steps;
    }
    if (without > 0)
      page.warnings.push_back(concat(folder, ": ", without, " of ", counted(std::ssize(sweep.points), "point"),
                                     " have no metrics.jsonl: their curves are not on the page"));
  }
  choose_colours(runs);
  return runs;
}

/// Names of two folders with the same last part say more of their paths.
void tell_apart(std::vector<Run>& runs) {
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
  tell_apart(runs.all);
  page.runs = runs.all.size();
  std::vector<RunState> states;
  for (const Run& run : runs.all) states.push_back({run.folder, run.end, run.steps});
  page.states.insert(page.states.begin(), states.begin(), states.end());

  const Links links(page_file.empty() ? folders.front() + "/report.html" : page_file);
  std::string sweeps, places;
  for (const Sweep& sweep : runs.sweeps)
    sweeps += parallel_coordinates(sweep) + element("div", {{"class", "wide"}}, table_of_shares(sweep));
  if (!runs.many()) places = memory(runs) + plans(runs);
  const std::string title =
      folders.size() == 1 ? folders.front() : concat(folders.front(), " and ", folders.size() - 1, " more");
  std::string body = element("h1", {}, escaped(title));
  body += under(runs.sweeps.empty() ? runs.all.size() == 1 ? "Run" : "Runs" : "Points", summary(runs, links)) +
          under("Keys that changed between starts", table_of_changes(runs)) + under("Logs", logs(runs, links)) +
          element("main", {},
                  under("Sweep", sweeps) + under("Training", curves(runs)) + under("Scores", calibration(runs)) +
                      under("Features and tables", importances(runs) + learnt(runs)) +
                      under("Machine", phases(runs) + places)) +
          under("Machine and versions", table_of_machines(runs));
  if (!runs.all.empty())
    body += under(runs.all.size() > 1 ? "Deck of " + runs.all.front().name : "Deck", deck(runs.all.front()));
  page.html = html_page(title + " - Tesserec", body);
  return page;
}

}  // namespace tesserec::report
