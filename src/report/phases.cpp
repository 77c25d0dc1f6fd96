// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "chart.hpp"
#include "figures.hpp"
#include "svg.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::report {
namespace {

struct Phases {
  const Run* run;
  std::vector<std::pair<std::string, double>> milliseconds;  // phases of a median step
  double step = 0;                                           // milliseconds of a median step, the sum of its phases
};

/// Returns the phases of all runs whose last start made a step.
std::vector<Phases> phases_of(const Runs& runs) {
  std::vector<Phases> all;
  for (const Run& run : runs.all) {
    const double step = run.result.number({"step_seconds"});
    if (!(step > 0)) continue;
    const auto phases = run.result.read({"phase_seconds"}, [&](const Json& seconds) {
      double sum = 0;
      Phases read{&run, {}, 1e3 * step};
      for (const std::string& name : seconds.names()) sum += seconds.at(name).number();
      if (!(sum > 0)) return read;
      for (const std::string& name : seconds.names())
        read.milliseconds.emplace_back(name, read.step * seconds.at(name).number() / sum);
      return read;
    });
    if (phases) all.push_back(*phases);
  }
  return all;
}

}  // namespace

std::string phases(const Runs& runs) {
  const std::vector<Phases> all = phases_of(runs);
  std::vector<std::string> names;
  double longest = 0;
  for (const Phases& run : all)
    for (const auto& [name, milliseconds] : run.milliseconds) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      longest = std::max(longest, milliseconds);
    }
  if (names.empty() || !(longest > 0)) return "";
  // Few runs have a bar each, many runs a dot each.
  const double bar = all.size() == 1 ? 14 : 7, gap = 8;
  const double row = (runs.many() ? 14 : bar * double(all.size())) + gap;
  const Plot plot{112, 480, 8, 8 + row * double(names.size())};
  const Scale x(0, longest, plot.left, plot.right);
  std::string text = axis_below(plot, x, "time in a median step of rank 0 (ms)");
  for (std::size_t n = 0; n < names.size(); ++n) {
    const double top = plot.top + row * double(n) + gap / 2;
    text += label(plot.left - 6, top + (row - gap) / 2 + 4, "end", names[n]);
    for (std::size_t r = all.size(); r-- > 0;) {  // the best one is drawn last
      const auto& [run, phase_times, step] = all[r];
      double time = 0;
      for (const auto& [name, milliseconds] : phase_times)
        if (name == names[n]) time = milliseconds;
      const std::string percent = fixed(100 * time / step, 1) + " %";
      const std::string hover_text =
          hover(concat(run->name, ", ", names[n], ": ", significant(time, 3), " ms, ", percent));
      if (runs.many()) {
        text +=
            element("g", {{"class", "dot " + run->css}},
                    element("circle", {{"cx", number(x.at(time))}, {"cy", number(top + 7)}, {"r", "3.5"}}, hover_text));
        continue;
      }
      text +=
          rectangle(plot.left, top + bar * double(r), x.at(time) - plot.left, bar - 1, "bar " + run->css, hover_text);
      if (all.size() == 1) text += label(x.at(time) + 5, top + bar - 3, "start", percent);
    }
  }
  std::string legend;
  if (all.size() > 1 && !runs.many()) {
    for (const Phases& run : all)
      legend += element("span", {{"class", "key"}}, swatch(run.run->css) + escaped(shortened(run.run->name, 24)));
    legend = element("p", {{"class", "legend"}}, legend);
  }
  return figure("Phases of the step", picture(560, plot.bottom + 42, "Phases of the step", text), legend);
}

}  // namespace tesserec::report
