// SPDX-License-Identifier: Apache-2.0
// Refresh of a sweep's results from the folders of its points, which may be newer than sweep.json.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

#include "runs.hpp"
#include <tesserec/store/run_end.hpp>

namespace tesserec::report {
namespace {

namespace files = std::filesystem;

/// Newest outcome in point.json.
struct NewestOutcome {
  double ended = 0, steps = 0, samples = 0;
  double metric = std::numeric_limits<double>::quiet_NaN();
  std::string digest;
  bool diverged = false;
};

NewestOutcome outcome_of(const Json& outcomes, const std::string& metric) {
  NewestOutcome outcome;
  outcome.ended = double(outcomes.elements().size());
  if (outcomes.elements().empty()) return outcome;
  const Json& last = outcomes.elements().back();
  outcome.steps = last.at("steps").number();
  outcome.samples = last.at("samples").number();
  outcome.digest = last.at("weights_digest").string();
  outcome.diverged = !last.at("diverged").string().empty();
  if (!outcome.diverged && last.at("metrics").has(metric)) outcome.metric = number_of(last.at("metrics").at(metric));
  return outcome;
}

const char* state_of(const NewestOutcome& newest, const Sweep& sweep) {
  if (newest.diverged) return "diverged";
  return newest.ended >= double(sweep.rungs) ? "done" : "started";
}

void update(Sweep::Point& point, const NewestOutcome& newest, const Sweep& sweep, const std::string& folder) {
  const bool same = point.steps == newest.steps && point.digest == newest.digest;
  point.ended = newest.ended;
  point.newer = !same || (newest.diverged && point.state != "diverged");
  if (point.newer) {
    point.steps = newest.steps;
    point.samples = newest.samples;
    point.metric = newest.metric;
    point.digest = newest.digest;
    point.state = state_of(newest, sweep);
  }
  if (point.state == "missing" || point.state == "started") point.state = store::state_of_started(folder);
}

/// Counts the folders with a point.json that sweep.json does not list.
std::size_t count_others(const Sweep& sweep) {
  std::set<std::string> known;
  for (const Sweep::Point& point : sweep.points) known.insert(point.name);
  std::size_t others = 0;
  for (const files::directory_entry& entry : files::directory_iterator(sweep.path))
    if (files::exists(entry.path() / "point.json") && !known.contains(entry.path().filename().string())) ++others;
  return others;
}

}  // namespace

std::string folder_of(const Sweep& sweep, const Sweep::Point& point) {
  const files::path recorded = point.folder;
  return files::exists(recorded) ? recorded.string() : (files::path(sweep.path) / recorded.filename()).string();
}

void refresh(Sweep& sweep, std::vector<std::string>& warnings) {
  for (Sweep::Point& point : sweep.points) {
    const std::string folder = folder_of(sweep, point);
    const auto outcome = Record(folder + "/point.json").read({"outcomes"}, [&](const Json& json) {
      return outcome_of(json, sweep.metric);
    });
    if (outcome) update(point, *outcome, sweep, folder);
  }
  const auto newer = std::count_if(sweep.points.begin(), sweep.points.end(), [](const auto& p) { return p.newer; });
  const std::size_t others = count_others(sweep);
  const std::string advice =
      concat("update it with `tesserec sweep collect ", sweep.deck.empty() ? "DECK" : sweep.deck, "`");
  if (newer > 0) {
    const double sign = sweep.less_is_better ? 1 : -1;
    const auto ended = [](const Sweep::Point& p) { return std::isfinite(p.metric) ? p.ended : 0; };
    std::stable_sort(sweep.points.begin(), sweep.points.end(), [&](const Sweep::Point& a, const Sweep::Point& b) {
      if (ended(a) != ended(b)) return ended(a) > ended(b);
      return ended(a) > 0 && sign * a.metric < sign * b.metric;
    });
    warnings.push_back(concat(sweep.path, "/sweep.json is older than ", counted(newer, "point"),
                              " of the sweep: the page shows the newer values, but the old shares of the keys; ",
                              advice));
  }
  if (others > 0)
    warnings.push_back(concat(sweep.path, "/sweep.json lacks ", counted(std::int64_t(others), "point"),
                              " with a folder in the sweep, not shown on the page; ", advice));
}

}  // namespace tesserec::report
