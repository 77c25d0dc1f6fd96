// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "chart.hpp"
#include "figures.hpp"
#include "svg.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::report {
namespace {

struct Phases {
  std::size_t run;
  std::vector<std::pair<std::string, double>> milliseconds;  // of a median step
};

/// None where this run's last start made no step.
std::vector<Phases> phases_of(const Runs& runs) {
  std::vector<Phases> all;
  for (std::size_t i = 0; i < runs.all.size(); ++i) {
    const Json* const seconds = member_of(runs.all[i].result, {"phase_seconds"});
    const double step = number_in(runs.all[i].result, {"step_seconds"});
    if (seconds == nullptr || !(step > 0)) continue;
    double sum = 0;
    Phases phases{i, {}};
    for (const std::string& name : seconds->names()) sum += seconds->at(name).number();
    for (const std::string& name : seconds->names())
      phases.milliseconds.emplace_back(name, 1e3 * step * seconds->at(name).number() / sum);
    all.push_back(phases);
  }
  return all;
}

}  // namespace

std::string phases(const Runs& runs) {
  const std::vector<Phases> all = phases_of(runs);
  std::vector<std::string> names;
  double most = 0;
  for (const Phases& run : all)
    for (const auto& [name, milliseconds] : run.milliseconds) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      most = std::max(most, milliseconds);
    }
  if (names.empty() || !(most > 0)) return "";
  // A bar a run where they are few, else a dot.
  const double bar = all.size() == 1 ? 14 : 7, gap = 8;
  const double row = (runs.many() ? 14 : bar * double(all.size())) + gap;
  const Plot plot{112, 480, 8, 8 + row * double(names.size())};
  const Scale x(0, most, plot.left, plot.right);
  std::string text = axis_below(plot, x, "time in a median step of rank 0 (ms)");
  for (std::size_t n = 0; n < names.size(); ++n) {
    const double top = plot.top + row * double(n) + gap / 2;
    text += label(plot.left - 6, top + (row - gap) / 2 + 4, "end", names[n]);
    for (std::size_t r = 0; r < all.size(); ++r) {
      const std::string& css = runs.css[all[r].run];
      double step = 0, here = 0;
      for (const auto& [name, milliseconds] : all[r].milliseconds) {
        step += milliseconds;
        if (name == names[n]) here = milliseconds;
      }
      const std::string share = concat(significant(here, 3), " ms, ", fixed(100 * here / step, 1), " %");
      const std::string told = hover(concat(runs.all[all[r].run].name, ", ", names[n], ": ", share));
      if (runs.many()) {
        text += element("g", {{"class", "dot " + css}},
                        element("circle", {{"cx", number(x.at(here))}, {"cy", number(top + 7)}, {"r", "3.5"}}, told));
        continue;
      }
      text += rectangle(plot.left, top + bar * double(r), x.at(here) - plot.left, bar - 1, "bar " + css, told);
      if (all.size() == 1) text += label(x.at(here) + 5, top + bar - 3, "start", fixed(100 * here / step, 1) + " %");
    }
  }
  return figure("Phases of the step", picture(560, plot.bottom + 42, "Phases of the step", text));
}

}  // namespace tesserec::report
