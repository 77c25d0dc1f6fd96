// SPDX-License-Identifier: Apache-2.0
#include "planted.hpp"

#include <cmath>
#include <cstdio>

#include <tesserec/core/log.hpp>
#include <tesserec/data/planted.hpp>

namespace tesserec::app {

void add_planted_truth(const comm::Communicator& comm, const train::Job& job, Json& json) {
  const data::SyntheticSettings& settings = job.data.synthetic;
  if (settings.kind != data::SyntheticKind::planted || settings.evaluate_samples == 0) return;
  const data::PlantedTruth truth = data::planted_truth(comm, settings, job.run.seed);
  const double best = metrics::binary_metrics(comm, truth.probabilities, truth.labels).auc;
  const double learnable = metrics::binary_metrics(comm, truth.restricted, truth.labels).auc;
  char line[160] = "planted truth: best AUC undefined, all labels are the same";
  if (!std::isnan(best))
    std::snprintf(line, sizeof line, "planted truth: best AUC %.6f; from rows seen at least 5 times in training %.6f",
                  best, learnable);
  log_info(line);
  json.set("best_auc", best).set("learnable_auc", learnable);
}

}  // namespace tesserec::app
