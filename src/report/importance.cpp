// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "chart.hpp"
#include "figures.hpp"
#include "svg.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::report {
namespace {

/// Importance of a feature in importance.json: changes of metrics, NaN if undefined.
struct FeatureImportance {
  std::string feature;
  double ne, log_loss, auc;
};

std::vector<FeatureImportance> importances_of(const Json& features) {
  std::vector<FeatureImportance> all;
  for (const Json& feature : features.elements())
    all.push_back({feature.at("feature").string(), number_of(feature.at("ne")), number_of(feature.at("log_loss")),
                   number_of(feature.at("auc"))});
  return all;
}

std::string signed_text(double value) {
  return std::isfinite(value) ? (value < 0 ? "" : "+") + significant(value, 3) : "undefined";
}

std::string importance_of(const Run& run) {
  constexpr std::size_t max_shown = 40;
  constexpr double row = 17;
  const std::vector<FeatureImportance> all =
      run.importance.read({"features"}, importances_of).value_or(std::vector<FeatureImportance>());
  const bool by_ne =
      std::any_of(all.begin(), all.end(), [](const FeatureImportance& entry) { return std::isfinite(entry.ne); });
  const auto change = [&](const FeatureImportance& entry) {
    const double value = by_ne ? entry.ne : entry.log_loss;
    return std::isfinite(value) ? value : 0;
  };
  double low = 0, high = 0;
  for (const FeatureImportance& entry : all) {
    low = std::min(low, change(entry));
    high = std::max(high, change(entry));
  }
  if (high <= low) return "";
  const std::size_t shown = std::min(all.size(), max_shown);
  const Plot plot{132, 452, 8, 8 + row * double(shown)};
  const Scale x(low, high, plot.left, plot.right);
  std::string text =
      axis_below(plot, x, by_ne ? "change of the normalized entropy (NE)" : "change of the log loss (nats)");
  for (std::size_t i = 0; i < shown; ++i) {
    const FeatureImportance& entry = all[i];
    const double top = plot.top + row * double(i), from = x.at(std::min(0.0, change(entry))),
                 to = x.at(std::max(0.0, change(entry)));
    const std::string hover_text = concat(entry.feature, ": NE ", signed_text(entry.ne), ", log loss ",
                                          signed_text(entry.log_loss), ", AUC ", signed_text(entry.auc));
    text += element("text", {{"x", number(plot.left - 6)}, {"y", number(top + 12)}, {"text-anchor", "end"}},
                    hover(entry.feature) + escaped(shortened(entry.feature, 17))) +
            rectangle(from, top + 2, std::max(to - from, 0.5), row - 4, "bar " + run.css, hover(hover_text)) +
            label(to + 5, top + 12, "start", "AUC " + signed_text(entry.auc));
  }
  std::string note = concat("Change of each metric when one feature's values are permuted among the ",
                            significant(run.importance.number({"samples"}), 12), " samples of ",
                            run.importance.text({"data"}), "; checkpoint ", run.importance.text({"checkpoint"}), ".");
  if (all.size() > shown) note += concat(" Only the first ", shown, " of ", all.size(), " features are shown.");
  return figure("Importance of features, " + run.name, picture(560, plot.bottom + 42, "Importance of features", text) +
                                                           element("p", {{"class", "note"}}, escaped(note)));
}

}  // namespace

std::string importances(const Runs& runs) {
  std::string text;
  if (runs.many()) return text;
  for (const Run& run : runs.all) text += importance_of(run);
  return text;
}

}  // namespace tesserec::report
