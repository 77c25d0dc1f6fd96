// SPDX-License-Identifier: Apache-2.0
// tesserec evaluate: metrics of a checkpoint on the evaluation data.
#include "job.hpp"
#include "loaded_model.hpp"
#include "planted.hpp"
#include <tesserec/core/log.hpp>
#include <tesserec/train/checkpoint.hpp>
#include <tesserec/train/evaluate.hpp>

namespace tesserec::app {

int evaluate(const Invocation& invocation, const comm::Communicator& comm) {
  const deck::Deck deck = invocation.read_deck();
  LoadedModel loaded(deck, comm, data::Use::evaluate);
  check_group(deck, loaded.source->info());
  const metrics::BinaryMetrics metrics = train::evaluate(*loaded.session, *loaded.source);
  Json json = Json::object();
  add_metrics(json, metrics, loaded.job.evaluate.metrics);
  json.set("samples", metrics.samples).set("mean_label", metrics.ctr).set("checkpoint", loaded.checkpoint);
  add_planted_truth(comm, loaded.job, json);
  const std::string line = train::describe(metrics, loaded.job.evaluate.metrics);
  if (invocation.json)
    log_info(line), print(comm, json);
  else
    print(comm, line + "\n");
  return 0;
}

}  // namespace tesserec::app
