// SPDX-License-Identifier: Apache-2.0
#include "runs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "figures.hpp"
#include <tesserec/core/error.hpp>

namespace tesserec::report {
namespace {

constexpr std::size_t scale_colours = 9;  // q0 is the best

Sweep sweep_of(const Json& json) {
  Sweep sweep;
  sweep.metric = json.at("metric").string();
  sweep.less_is_better = !json.at("more_is_better").boolean();
  for (const Json& key : json.at("keys").elements())
    sweep.keys.push_back({key.at("key").string(), value_text(key.at("better")), number_in(key, {"share"})});
  for (const Json& given : json.at("points").elements()) {
    const std::string& folder = given.at("folder").string();
    Sweep::Point point{folder.substr(folder.rfind('/') + 1), folder, given.at("state").string(), {}, 0, 0};
    for (const Sweep::Key& key : sweep.keys) point.values.push_back(given.at("values").at(key.name));
    point.metric = number_in(given, {"value"});
    point.samples = number_in(given, {"samples"});
    sweep.points.push_back(point);
  }
  return sweep;
}

}  // namespace

Sweep read_sweep(const std::string& folder) {
  const std::string path = folder + "/sweep.json";
  try {
    Sweep sweep = sweep_of(parse_json(read_text(path)));
    sweep.path = folder;
    return sweep;
  } catch (const Error& error) {
    fail(path, ": ", error.what(), "; tesserec sweep collect writes it anew");
  }
}

std::string scale_css(std::size_t place, std::size_t count) {
  return concat("q", count < 2 ? 0 : (place * (scale_colours - 1) + (count - 1) / 2) / (count - 1));
}

std::vector<std::size_t> best_first(const std::vector<double>& values, bool less) {
  const auto worth = [&](std::size_t i) {
    return std::isfinite(values[i]) ? (less ? -values[i] : values[i]) : -std::numeric_limits<double>::infinity();
  };
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return worth(a) > worth(b); });
  return order;
}

void choose_colours(Runs& runs) {
  runs.css.resize(runs.all.size());
  if (!runs.many()) {
    for (std::size_t i = 0; i < runs.all.size(); ++i) runs.css[i] = concat("s", i);
    return;
  }
  const bool auc =
      std::any_of(runs.all.begin(), runs.all.end(), [](const Run& run) { return std::isfinite(run.last("auc")); });
  runs.scale = auc ? "auc" : "loss";
  std::vector<double> values;
  for (const Run& run : runs.all) values.push_back(run.last(runs.scale));
  const std::vector<std::size_t> order = best_first(values, runs.scale == "loss");
  std::vector<Run> sorted;
  for (std::size_t place = order.size(); place-- > 0;) {
    runs.css[sorted.size()] = scale_css(place, order.size());
    sorted.push_back(std::move(runs.all[order[place]]));
  }
  runs.all = std::move(sorted);
}

}  // namespace tesserec::report
