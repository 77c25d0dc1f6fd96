// SPDX-License-Identifier: Apache-2.0
// Metrics of samples with several labels: means over the labels, or those of one.
#include <cmath>

#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/metrics/names.hpp>

using namespace tesserec;
using namespace tesserec::metrics;

namespace {

BinaryMetrics metrics_of(double auc, double log_loss, Index samples) {
  BinaryMetrics metrics;
  metrics.auc = auc;
  metrics.log_loss = log_loss;
  metrics.samples = samples;
  return metrics;
}

}  // namespace

TEST_CASE("of_tasks: gives the means over the labels or the metrics of one") {
  const std::vector<std::string> names{"click", "buy"};
  const std::vector<BinaryMetrics> tasks{metrics_of(0.75, 0.5, 100), metrics_of(0.25, std::nan(""), 60)};
  const BinaryMetrics mean = of_tasks(names, tasks, "", 100);
  CHECK(mean.auc == 0.5);
  CHECK(std::isnan(mean.log_loss));
  CHECK(mean.samples == 100);
  const BinaryMetrics one = of_tasks(names, tasks, "buy", 100);
  CHECK(one.auc == 0.25);
  CHECK(one.samples == 100);
  CHECK(one.tasks.size() == 2);
  CHECK(mentions(error_of([&] { of_tasks(names, tasks, "sold", 100); }),
                 "evaluate.task is \"sold\", but the labels are click, buy"));
}

TEST_CASE("of_tasks: the calibration is that of the label farthest from 1") {
  const auto calibration_of = [](double a, double b) {
    std::vector<BinaryMetrics> tasks(2);
    tasks[0].calibration = a;
    tasks[1].calibration = b;
    return of_tasks({"click", "buy"}, tasks, "", 100).calibration;
  };
  CHECK(calibration_of(0.5, 1.5) == 0.5);
  CHECK(calibration_of(0.75, 1.5) == 1.5);
  CHECK(calibration_of(1.0, 1.0) == 1.0);
  CHECK(std::isnan(calibration_of(0.5, std::nan(""))));
}

TEST_CASE("chosen_of_all: lists the metrics, then those of each label") {
  const BinaryMetrics both =
      of_tasks({"click", "buy"}, {metrics_of(0.75, 0.5, 100), metrics_of(0.25, 0.25, 60)}, "", 100);
  const std::vector<std::pair<std::string, double>> expected{{"auc", 0.5},        {"log_loss", 0.375},
                                                             {"click.auc", 0.75}, {"click.log_loss", 0.5},
                                                             {"buy.auc", 0.25},   {"buy.log_loss", 0.25}};
  CHECK(chosen_of_all(both, {"auc", "log_loss"}) == expected);
  CHECK(chosen_of_all(metrics_of(0.75, 0.5, 100), {"auc"}).size() == 1);
}
