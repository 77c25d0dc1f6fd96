// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/metrics/names.hpp>

namespace tesserec::metrics {
namespace {

using M = BinaryMetrics;

enum class Kind { sums, order, groups, towers };
enum class Good { more, less, neither };

constexpr struct {
  const char* name;
  double M::*value;
  Kind kind = Kind::sums;
  Good good = Good::more;
} all[] = {{"auc", &M::auc, Kind::order},
           {"auprc", &M::auprc, Kind::order},
           {"log_loss", &M::log_loss, Kind::sums, Good::less},
           {"ne", &M::ne, Kind::sums, Good::less},
           {"calibration", &M::calibration, Kind::sums, Good::neither},
           {"ctr", &M::ctr, Kind::sums, Good::neither},
           {"accuracy", &M::accuracy},
           {"precision", &M::precision},
           {"recall", &M::recall},
           {"f1", &M::f1},
           {"mse", &M::mse, Kind::sums, Good::less},
           {"rmse", &M::rmse, Kind::sums, Good::less},
           {"mae", &M::mae, Kind::sums, Good::less},
           {"gauc", &M::gauc, Kind::groups},
           {"ndcg", &M::ndcg, Kind::groups},
           {"recall_at_k", &M::recall_at_k, Kind::groups},
           {"candidate_recall", &M::candidate_recall, Kind::towers}};

bool is(Kind kind, const std::string& name) {
  return std::any_of(std::begin(all), std::end(all),
                     [&](const auto& metric) { return name == metric.name && metric.kind == kind; });
}

template <class Test>
std::vector<std::string> names_where(const Test& test) {
  std::vector<std::string> result;
  for (const auto& metric : all)
    if (test(metric)) result.emplace_back(metric.name);
  return result;
}

/// Returns the calibration that is farthest from 1, by its ratio, or NaN if one is undefined.
double farthest_from_one(const std::vector<BinaryMetrics>& tasks) {
  double farthest = 1.0;
  for (const BinaryMetrics& task : tasks) {
    if (std::isnan(task.calibration)) return task.calibration;
    if (std::max(task.calibration, 1.0 / task.calibration) > std::max(farthest, 1.0 / farthest))
      farthest = task.calibration;
  }
  return farthest;
}

}  // namespace

std::vector<std::string> names() {
  return names_where([](const auto&) { return true; });
}

std::vector<std::string> names_of_sums() {
  return names_where([](const auto& metric) { return metric.kind == Kind::sums; });
}

std::vector<std::string> more_is_better() {
  return names_where([](const auto& metric) { return metric.good == Good::more; });
}

std::vector<std::string> less_is_better() {
  return names_where([](const auto& metric) { return metric.good == Good::less; });
}

bool needs_groups(const std::string& name) { return is(Kind::groups, name); }
bool needs_towers(const std::string& name) { return is(Kind::towers, name); }

std::vector<std::pair<std::string, double>> chosen(const BinaryMetrics& metrics,
                                                   const std::vector<std::string>& wanted) {
  std::vector<std::pair<std::string, double>> result;
  for (const std::string& name : wanted) {
    const auto found = std::find_if(std::begin(all), std::end(all), [&](const auto& m) { return name == m.name; });
    if (found == std::end(all)) fail("evaluate.metrics: \"", name, "\" is unknown; the metrics are ", join(names()));
    result.emplace_back(name, metrics.*(found->value));
  }
  return result;
}

std::vector<std::pair<std::string, double>> chosen_of_all(const BinaryMetrics& metrics,
                                                          const std::vector<std::string>& wanted) {
  std::vector<std::pair<std::string, double>> result = chosen(metrics, wanted);
  for (std::size_t t = 0; t < metrics.tasks.size(); ++t)
    for (const auto& [name, value] : chosen(metrics.tasks[t], wanted))
      result.emplace_back(metrics.task_names[t] + "." + name, value);
  return result;
}

BinaryMetrics of_tasks(std::vector<std::string> names, std::vector<BinaryMetrics> tasks, const std::string& task,
                       Index samples) {
  BinaryMetrics result;
  if (task.empty()) {
    for (const auto& metric : all) {
      double sum = 0;
      for (const BinaryMetrics& one : tasks) sum += one.*(metric.value);
      result.*(metric.value) = sum / double(tasks.size());
    }
    result.calibration = farthest_from_one(tasks);
  } else {
    const auto found = std::find(names.begin(), names.end(), task);
    if (found == names.end()) fail("evaluate.task is \"", task, "\", but the labels are ", join(names));
    result = tasks[std::size_t(found - names.begin())];
  }
  result.samples = samples;
  result.task_names = std::move(names);
  result.tasks = std::move(tasks);
  return result;
}

}  // namespace tesserec::metrics
