// SPDX-License-Identifier: Apache-2.0
// Metrics against scikit-learn and torchrec.metrics over sets of scores. A set's results are attributes of its group.
#include <cmath>

#include "catch.hpp"
#include "golden.hpp"
#include <tesserec/metrics/names.hpp>

using namespace tesserec;

namespace {

void check_close(double value, const store::File& file, const std::string& set, const std::string& name) {
  const double want = file.attribute<double>(set, name);
  INFO(name << " is " << value << ", not " << want);
  CHECK(((std::isnan(value) && std::isnan(want)) || std::abs(value - want) <= 1e-12 * std::abs(want)));
}

metrics::BinaryMetrics metrics_of(const store::File& file, const std::string& set, double threshold) {
  std::vector<float> weights;
  if (file.exists(set + "/weight")) weights = file.read_all<float>(set + "/weight");
  return metrics::binary_metrics(comm::Communicator::self(), file.read_all<double>(set + "/score"),
                                 file.read_all<float>(set + "/label"), weights, threshold);
}

}  // namespace

TEST_CASE("binary_metrics: golden AUC and log loss and NE and calibration and CTR and accuracy") {
  const store::File file = golden::open("metrics.h5");
  REQUIRE(file.attribute<double>("/", "eta") == 1e-12);
  int sets = 0, weightless = 0;
  for (const std::string& set : file.names("/")) {
    INFO(set);
    const auto got = metrics_of(file, set, 0.5);
    CHECK(got.samples == file.attribute<std::int64_t>(set, "samples"));
    if (std::isnan(file.attribute<double>(set, "log_loss"))) {  // all weights are 0; TorchRec returns 0 for some
      for (const auto& [name, value] : metrics::chosen(got, metrics::names())) CHECK(std::isnan(value));
      ++sets, ++weightless;
      continue;
    }
    for (const auto& [name, value] :
         metrics::chosen(got, {"auc", "log_loss", "accuracy", "ctr", "precision", "recall"}))
      check_close(value, file, set, name);
    const bool one_class = file.attribute<std::int64_t>(set, "one_class") != 0;
    CHECK(std::isnan(got.ne) == one_class);  // TorchRec divides by an entropy of about eta instead
    if (!one_class) check_close(got.ne, file, set, "ne");
    CHECK(std::isnan(got.calibration) == (got.ctr == 0));  // TorchRec gives 0
    if (got.ctr > 0) check_close(got.calibration, file, set, "calibration");
    ++sets;
  }
  REQUIRE((sets >= 1 && weightless < sets));
}

TEST_CASE("binary_metrics: golden AUPRC and F1 and MSE and RMSE and MAE and another threshold") {
  const store::File file = golden::open_beside("metrics_ranking.h5");
  const double threshold = file.attribute<double>("/", "threshold");
  REQUIRE(threshold != 0.5);
  for (const std::string& set : file.names("/")) {
    INFO(set);
    for (const auto& [name, value] : metrics::chosen(
             metrics_of(file, set, 0.5), {"auprc", "f1", "mse", "rmse", "mae", "accuracy", "precision", "recall"}))
      check_close(value, file, set, name);
    for (const auto& [name, value] :
         metrics::chosen(metrics_of(file, set, threshold), {"accuracy", "precision", "recall", "f1"}))
      check_close(value, file, set, name + "_at_threshold");
  }
}

TEST_CASE("group_metrics: golden GAUC and NDCG and recall@k") {
  const store::File file = golden::open_beside("metrics_ranking.h5");
  const auto of = [&](const std::string& set, Index k, metrics::GroupWeight weight) {
    return metrics::group_metrics(comm::Communicator::self(), file.read_all<Index>(set + "/group"),
                                  file.read_all<double>(set + "/score"), file.read_all<float>(set + "/label"), k,
                                  weight);
  };
  for (const std::string& set : file.names("/")) {
    INFO(set);
    check_close(of(set, 1, metrics::GroupWeight::equal).gauc, file, set, "gauc_equal");
    for (const std::int64_t k : file.attribute<std::vector<std::int64_t>>("/", "k")) {
      const metrics::GroupMetrics got = of(set, k, metrics::GroupWeight::samples);
      check_close(got.gauc, file, set, "gauc");
      check_close(got.ndcg, file, set, "ndcg_" + std::to_string(k));
      check_close(got.recall_at_k, file, set, "recall_at_" + std::to_string(k));
    }
  }
}
