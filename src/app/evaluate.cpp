// SPDX-License-Identifier: Apache-2.0
// tesserec evaluate: metrics of a checkpoint on the evaluation data.
#include "importance.hpp"
#include "job.hpp"
#include "loaded_model.hpp"
#include "planted.hpp"
#include "table_json.hpp"
#include <tesserec/core/log.hpp>
#include <tesserec/train/checkpoint.hpp>
#include <tesserec/train/evaluate.hpp>

namespace tesserec::app {

int evaluate(const Invocation& invocation, const comm::Communicator& comm) {
  const deck::Deck deck = invocation.read_deck();
  LoadedModel loaded(deck, comm, data::Use::evaluate);
  check_group(deck, loaded.source->info());
  std::vector<train::FeatureIds> ids;
  const metrics::BinaryMetrics metrics = train::evaluate(*loaded.session, *loaded.source, &ids);
  Json json = Json::object();
  add_metrics(json, metrics, loaded.job.evaluate.metrics);
  json.set("samples", metrics.samples).set("mean_label", metrics.ctr).set("checkpoint", loaded.checkpoint);
  json.set("features", features_json(ids, !loaded.source->info().files.empty()));
  add_planted_truth(comm, loaded.job, json);
  std::string text = train::describe(metrics, loaded.job.evaluate.metrics) + "\n";
  if (invocation.has("--importance")) {
    const Json features = importance_json(train::importance(*loaded.session, *loaded.source), metrics);
    write_importance(loaded, metrics, features);
    json.set("importance", features);
    text += importance_text(features);
  }
  if (invocation.json) {
    log_info(text.substr(0, text.size() - 1));
    print(comm, json);
  } else {
    print(comm, text);
  }
  return 0;
}

}  // namespace tesserec::app
