// SPDX-License-Identifier: Apache-2.0
#include "planted.hpp"

#include <algorithm>
#include <cmath>

#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/data/planted.hpp>
#include <tesserec/metrics/names.hpp>

namespace tesserec::app {

void add_planted_truth(const comm::Communicator& comm, const train::Job& job, Json& json) {
  const data::SyntheticSettings& settings = job.data.synthetic;
  if (settings.kind != data::SyntheticKind::planted || settings.evaluate_samples == 0) return;
  const data::PlantedTruth truth = data::planted_truth(comm, settings, job.run.seed);
  const double best = metrics::binary_metrics(comm, truth.probabilities, truth.labels).auc;
  const double learnable = metrics::binary_metrics(comm, truth.restricted, truth.labels).auc;
  log_info("planted truth: best AUC " +
           (std::isnan(best)
                ? "undefined, all labels are the same"
                : fixed(best, 6) + "; from rows seen at least 5 times in training " + fixed(learnable, 6)));
  json.set("best_auc", best).set("learnable_auc", learnable);
  const std::vector<std::string>& names = job.evaluate.metrics;
  if (settings.pair.empty() || std::none_of(names.begin(), names.end(), metrics::needs_towers)) return;
  const double recall = metrics::candidate_recall(comm, {settings.pair_rank + 1, truth.queries, truth.items},
                                                  truth.labels, job.evaluate.k);
  log_info("planted truth: candidate_recall " + fixed(recall, 6));
  json.set("truth_candidate_recall", recall);
}

}  // namespace tesserec::app
