// SPDX-License-Identifier: Apache-2.0
#include "metric.hpp"

#include <algorithm>

#include <tesserec/metrics/names.hpp>

namespace tesserec::report {
namespace {

/// Removes the span from a name: "window_log_loss" -> "log_loss".
std::string without_span(const std::string& name) {
  for (const std::string span : {"window_", "lifetime_"})
    if (name.starts_with(span)) return name.substr(span.size());
  return name;
}

bool is_one_of(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Returns a name as words: "log_loss" -> "log loss", "auc" -> "AUC".
std::string in_words(std::string name) {
  const std::string bare = without_span(name);
  if (is_one_of(bare, {"auc", "auprc", "ne", "ctr", "mse", "rmse", "mae", "gauc", "ndcg"}))
    for (std::size_t i = name.size() - bare.size(); i < name.size(); ++i)
      name[i] = char(std::toupper(static_cast<unsigned char>(name[i])));
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

}  // namespace

Metric metric_of(const std::string& name) {
  const std::string bare = without_span(name);
  Metric metric{in_words(name), in_words(name), in_words(name), 0, INFINITY, std::nullopt};
  if (is_one_of(bare, metrics::more_is_better())) {
    metric.upper = 1;
    metric.more = true;
  }
  if (is_one_of(bare, metrics::less_is_better())) metric.more = false;
  if (bare == "ctr") metric.upper = 1;
  if (bare == "ne") metric.title = metric.axis = "normalized entropy (NE)";
  if (bare == "log_loss") metric.axis += " (nats per sample)";
  if (bare == "calibration") metric.axis += " (predicted / observed clicks)";
  if (bare == "gradient_norm") metric.axis += " (before clipping)";
  if (!is_one_of(bare, metrics::names()) && bare != "gradient_norm") metric.lower = -INFINITY;
  return metric;
}

std::vector<Reference> references_of(const Runs& runs, const std::string& name) {
  if (name == "ne") return {{1, "1: predicting the base rate"}};
  if (name == "calibration") return {{1, "1: predicted = observed"}};
  if (name != "auc") return {};
  std::vector<Reference> references;
  for (const Run& run : runs.all)
    if (const double truth = run.result.number({"best_auc"}); std::isfinite(truth))
      references.push_back({truth, "AUC of the planted truth"});
  const bool same = std::all_of(references.begin(), references.end(),
                                [&](const Reference& r) { return r.value == references[0].value; });
  if (references.empty() || !same) return {};
  return {references[0]};
}

}  // namespace tesserec::report
