// SPDX-License-Identifier: Apache-2.0
#include "runs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "figures.hpp"
#include <tesserec/core/file.hpp>

namespace tesserec::report {
namespace {

constexpr std::size_t scale_colors = 9;  // classes q0 (the best) to q8

/// Returns the class of the scale of colors for place `place` (0 = the best) of `count`.
std::string scale_css(std::size_t place, std::size_t count) {
  return concat("q", count < 2 ? 0 : (place * (scale_colors - 1) + (count - 1) / 2) / (count - 1));
}

Sweep::Point point_of(const Json& json, const std::vector<Sweep::Key>& keys) {
  const std::string& folder = json.at("folder").string();
  Sweep::Point point;
  point.name = folder.substr(folder.rfind('/') + 1);
  point.folder = folder;
  point.state = json.at("state").string();
  for (const Sweep::Key& key : keys) point.values.push_back(json.at("values").at(key.name));
  point.metric = number_of(json.at("value"));
  point.samples = number_of(json.at("samples"));
  if (json.has("steps")) point.steps = number_of(json.at("steps"));
  if (json.has("weights_digest")) point.digest = json.at("weights_digest").string();
  point.ended = std::isfinite(point.metric) ? 1 : 0;
  return point;
}

Sweep sweep_of(const Json& json) {
  Sweep sweep;
  sweep.metric = json.at("metric").string();
  sweep.less_is_better = !json.at("more_is_better").boolean();
  for (const Json& key : json.at("keys").elements())
    sweep.keys.push_back({key.at("key").string(), value_text(key.at("better")), number_of(key.at("share"))});
  const std::vector<Json>& points = json.at("points").elements();
  for (const Json& index : json.at("ranking").elements()) {
    if (index.integer() < 0 || index.integer() >= std::ssize(points))
      fail("ranking: there is no point ", index.integer());
    sweep.points.push_back(point_of(points[std::size_t(index.integer())], sweep.keys));
  }
  if (json.has("rungs")) sweep.rungs = json.at("rungs").elements().size();
  if (json.has("other_data")) sweep.other_data = json.at("other_data").elements().size();
  if (json.has("deck")) sweep.deck = json.at("deck").string();
  return sweep;
}

/// Colors the points by their places among the points with a metric.
void color(Sweep& sweep) {
  std::vector<Sweep::Point*> with_metric;
  for (Sweep::Point& point : sweep.points)
    if (std::isfinite(point.metric)) with_metric.push_back(&point);
  for (std::size_t place = 0; place < with_metric.size(); ++place)
    with_metric[place]->css = scale_css(place, with_metric.size());
}

}  // namespace

Sweep read_sweep(const std::string& folder, std::vector<std::string>& warnings) {
  const std::string path = folder + "/sweep.json", text = read_file(path);
  Sweep sweep;
  try {
    sweep = sweep_of(parse_json(text));
  } catch (const Error& error) {
    fail(path, ": ", error.what(), "; write it again with `tesserec sweep collect`");
  }
  sweep.path = folder;
  if (sweep.other_data > 0)
    warnings.push_back(concat(path, ": ", counted(std::int64_t(sweep.other_data), "point"),
                              " ended on other data than the others (other_data), so their values are not comparable"));
  refresh(sweep, warnings);
  color(sweep);
  return sweep;
}

void choose_colors(Runs& runs) {
  if (!runs.many()) {
    for (std::size_t i = 0; i < runs.all.size(); ++i) runs.all[i].css = concat("s", i);
    return;
  }
  const auto any = [&](const auto& has) { return std::any_of(runs.all.begin(), runs.all.end(), has); };
  if (runs.sweeps.size() == 1 && !any([](const Run& run) { return run.css.empty(); })) {
    runs.scale = runs.sweeps[0].metric;
    return;
  }
  const bool auc = any([](const Run& run) { return std::isfinite(run.last("auc")); });
  runs.scale = auc ? "auc" : "loss";
  const auto score = [&](const Run& run) {
    const double value = run.last(runs.scale);
    if (!std::isfinite(value)) return -std::numeric_limits<double>::infinity();
    return auc ? value : -value;
  };
  std::stable_sort(runs.all.begin(), runs.all.end(), [&](const Run& a, const Run& b) { return score(a) > score(b); });
  for (std::size_t place = 0; place < runs.all.size(); ++place) runs.all[place].css = scale_css(place, runs.all.size());
}

}  // namespace tesserec::report
