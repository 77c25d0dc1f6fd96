// SPDX-License-Identifier: Apache-2.0
#include "metric.hpp"

#include <algorithm>

#include <tesserec/metrics/names.hpp>

namespace tesserec::report {
namespace {

/// Returns the label before a name and its dot: "click.auc" -> "click."; "" if there is none.
std::string label_of(const std::string& name) { return name.substr(0, name.rfind('.') + 1); }

/// Removes label and span from a name: "click.window_log_loss" -> "log_loss".
std::string bare_name(const std::string& full) {
  const std::string name = full.substr(label_of(full).size());
  for (const std::string span : {"window_", "lifetime_"})
    if (name.starts_with(span)) return name.substr(span.size());
  return name;
}

bool is_one_of(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Returns a name as words: "log_loss" -> "log loss", "click.auc" -> "click AUC".
std::string in_words(std::string name) {
  const std::string bare = bare_name(name);
  if (is_one_of(bare, {"auc", "auprc", "ne", "ctr", "mse", "rmse", "mae", "gauc", "ndcg"}))
    for (std::size_t i = name.size() - bare.size(); i < name.size(); ++i)
      name[i] = char(std::toupper(static_cast<unsigned char>(name[i])));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '_' || c == '.'; }, ' ');
  return name;
}

}  // namespace

Metric metric_of(const std::string& name) {
  const std::string bare = bare_name(name);
  Metric metric{in_words(name), in_words(name), in_words(name), 0, INFINITY, std::nullopt};
  if (is_one_of(bare, metrics::more_is_better())) {
    metric.upper = 1;
    metric.more = true;
  }
  if (is_one_of(bare, metrics::less_is_better())) metric.more = false;
  if (bare == "ctr") metric.upper = 1;
  const std::string before = in_words(name.substr(0, name.size() - bare.size()));  // label and span, as "click window "
  if (bare == "ne") metric.title = metric.axis = before + "normalized entropy (NE)";
  if (bare == "log_loss") metric.axis += " (nats per sample)";
  if (bare == "calibration") metric.axis += " (predicted / observed clicks)";
  if (bare == "gradient_norm") metric.axis += " (before clipping)";
  if (!is_one_of(bare, metrics::names()) && bare != "gradient_norm") metric.lower = -INFINITY;
  return metric;
}

std::vector<Reference> references_of(const Runs& runs, const std::string& name) {
  const std::string label = label_of(name), metric = name.substr(label.size());
  if (metric == "ne") return {{1, "1: predicting the base rate"}};
  if (metric == "calibration") return {{1, "1: predicted = observed"}};
  if (metric != "auc") return {};
  const std::string best = label + "best_auc";
  std::vector<Reference> references;
  for (const Run& run : runs.all)
    if (const double truth = run.result.number({best.c_str()}); std::isfinite(truth))
      references.push_back({truth, "AUC of the planted truth"});
  const bool same = std::all_of(references.begin(), references.end(),
                                [&](const Reference& r) { return r.value == references[0].value; });
  if (references.empty() || !same) return {};
  return {references[0]};
}

}  // namespace tesserec::report
