// SPDX-License-Identifier: Apache-2.0
// scikit-learn and torchrec.metrics over score sets; a set's results are attributes of its group.
#include <cmath>

#include "catch.hpp"
#include "golden.hpp"
#include <tesserec/metrics/binary.hpp>

using namespace tesserec;

TEST_CASE("golden metrics: AUC, log loss, NE, calibration, accuracy") {
  const store::File file = golden::open("metrics.h5");
  const comm::Communicator alone(MPI_COMM_SELF);
  REQUIRE(file.attribute<double>("/", "eta") == 1e-12);
  int sets = 0;
  for (const std::string& set : file.names("/")) {
    if (file.exists(set + "/weight")) continue;  // samples have no weights here
    INFO(set);
    const auto got =
        metrics::binary_metrics(alone, file.read_all<double>(set + "/score"), file.read_all<float>(set + "/label"));
    const auto close = [&](double value, const char* name) {
      const double want = file.attribute<double>(set, name);
      INFO(name << " is " << value << ", not " << want);
      CHECK(((std::isnan(value) && std::isnan(want)) || std::abs(value - want) <= 1e-12 * std::abs(want)));
    };
    CHECK(got.samples == file.attribute<std::int64_t>(set, "samples"));
    close(got.auc, "auc");
    close(got.log_loss, "log_loss");
    close(got.accuracy, "accuracy");
    close(got.mean_label, "ctr");
    const bool one_class = file.attribute<std::int64_t>(set, "one_class") != 0;
    CHECK(std::isnan(got.ne) == one_class);  // TorchRec divides by an entropy of about eta instead
    if (!one_class) close(got.ne, "ne");
    CHECK(std::isnan(got.calibration) == (got.mean_label == 0));  // TorchRec gives 0
    if (got.mean_label > 0) close(got.calibration, "calibration");
    ++sets;
  }
  REQUIRE(sets >= 1);
}
