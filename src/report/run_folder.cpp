// SPDX-License-Identifier: Apache-2.0
#include "run_folder.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include <tesserec/core/file.hpp>

namespace tesserec::report {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

double member(const Json& line, const char* name) { return line.has(name) ? number_of(line.at(name)) : none; }

/// Whether point.json has a rung at which the point diverged.
bool has_diverged(const Record& point) {
  return point
      .read({"outcomes"},
            [](const Json& json) {
              const std::vector<Json>& outcomes = json.elements();
              return std::any_of(outcomes.begin(), outcomes.end(),
                                 [](const Json& outcome) { return !outcome.at("diverged").string().empty(); });
            })
      .value_or(false);
}

/// Seconds since 1970 of the first step: that of the first line, less what its samples took.
double first_second(const Json& line) {
  const double rate = member(line, "samples_per_second");
  return member(line, "time") - (rate > 0 ? member(line, "samples") / rate : 0);
}

/// One line into the curves of its kind.
void take(Run& run, const Json& line, double start) {
  const bool evaluation = line.at("kind").string() == "evaluate";
  run.steps = line.at("step").number();
  run.samples = member(line, "samples");
  for (const std::string& name : line.names()) {
    if (name == "step" || name == "kind" || name == "samples" || name == "time") continue;
    Curve& curve = (evaluation ? run.evaluate : run.train)[name];
    if (evaluation && curve.values.empty()) run.metrics.push_back(name);
    curve.samples.push_back(member(line, "samples"));
    curve.seconds.push_back(member(line, "time") - start);
    curve.values.push_back(number_of(line.at(name)));
  }
}

}  // namespace

double Run::last(const std::string& metric) const {
  for (const auto* curves : {&evaluate, &train})
    if (const auto found = curves->find(metric); found != curves->end())
      for (auto value = found->second.values.rbegin(); value != found->second.values.rend(); ++value)
        if (std::isfinite(*value)) return *value;
  return none;
}

std::string Run::end() const {
  if (diverged) return "diverged";
  if (!result.there()) return "running or crashed";
  const double signal = result.number({"signal"});
  return signal > 0 ? concat("signal ", signal) : "finished";
}

Run read_run(const std::string& folder) {
  Run run;
  run.folder = folder;
  run.name = (std::filesystem::path(folder) / "").lexically_normal().parent_path().filename().string();
  if (run.name.empty() || run.name == "." || run.name == "..")
    run.name = std::filesystem::absolute(folder).lexically_normal().filename().string();
  const std::string path = folder + "/metrics.jsonl";
  if (!std::filesystem::exists(path))
    fail(folder, ": no metrics.jsonl there; give the folder of a run (run.output of its deck); of a sweep: ",
         "tesserec sweep collect DECK first");
  run.start = Record(folder + "/run.json");
  run.result = Record(folder + "/result.json");
  run.diverged = has_diverged(Record(folder + "/point.json"));
  const std::string text = read_file(path);
  double start = none;
  std::size_t row = 0;
  for (std::size_t at = 0; at < text.size(); ++row) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    try {
      const Json json = parse_json(text.substr(at, end - at));
      if (row == 0) start = first_second(json);
      take(run, json, start);
    } catch (const Error& error) {
      if (end < text.size()) fail(path, ":", row + 1, ": ", error.what(), "; remove this line, or train on");
      run.cut = true;
    }
    at = end + 1;
  }
  if (run.train.empty() && run.evaluate.empty())
    fail(path, ": not one line; a run writes one after train.log_every steps and at its end");
  return run;
}

}  // namespace tesserec::report
