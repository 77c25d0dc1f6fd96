// SPDX-License-Identifier: Apache-2.0
// Command `tesserec evaluate`: computes the metrics of a checkpoint on the evaluation data.
#include <algorithm>
#include <cmath>

#include "job.hpp"
#include "run_record.hpp"
#include "unread_keys.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/train/checkpoint.hpp>
#include <tesserec/train/evaluate.hpp>
#include <tesserec/train/importance.hpp>

namespace tesserec::app {
namespace {

constexpr std::pair<const char*, double metrics::BinaryMetrics::*> importance_metrics[] = {
    {"log_loss", &metrics::BinaryMetrics::log_loss},
    {"ne", &metrics::BinaryMetrics::ne},
    {"auc", &metrics::BinaryMetrics::auc}};

/// Returns "+0.012345", or "undefined" for null, which stands for a value that is not finite.
std::string change_text(const Json& change) {
  if (change.kind() == Json::Kind::null) return "undefined";
  return (change.number() < 0 ? "" : "+") + fixed(change.number(), 6);
}

/// Lists each feature's name, kind and change of the `intact` metrics when permuted, by descending change of log loss.
Json importance_json(const std::vector<train::Importance>& all, const metrics::BinaryMetrics& intact) {
  std::vector<const train::Importance*> order;
  for (const train::Importance& importance : all) order.push_back(&importance);
  const auto loss_of = [](const train::Importance* importance) {
    return std::isfinite(importance->permuted.log_loss) ? importance->permuted.log_loss : 0;
  };
  std::stable_sort(order.begin(), order.end(), [&](const auto* a, const auto* b) { return loss_of(a) > loss_of(b); });
  Json features = Json::array(Json::Layout::lines);
  for (const train::Importance* importance : order) {
    Json json =
        Json::object().set("feature", importance->feature).set("kind", importance->dense ? "number" : "category");
    for (const auto& [name, metric] : importance_metrics) json.set(name, importance->permuted.*metric - intact.*metric);
    features.add(json);
  }
  return features;
}

/// Formats the list of importance_json() as lines for people.
std::string importance_text(const Json& features) {
  std::size_t width = 7;
  for (const Json& feature : features.elements()) width = std::max(width, feature.at("feature").string().size());
  std::string text =
      "change of the metrics when one feature's values are permuted among the samples:\n  " + left("feature", width);
  for (const auto& [name, metric] : importance_metrics) text += "  " + right(name, 9);
  for (const Json& feature : features.elements()) {
    text += "\n  " + left(feature.at("feature").string(), width);
    for (const auto& [name, metric] : importance_metrics) text += "  " + right(change_text(feature.at(name)), 9);
  }
  return text + "\n";
}

/// Writes importance.json into the run's folder on rank 0. Collective.
void write_importance(const LoadedModel& loaded, const metrics::BinaryMetrics& intact, const Json& features) {
  const std::string path = loaded.job.run.folder() + "/importance.json";
  Json before = Json::object();
  for (const auto& [name, metric] : importance_metrics) before.set(name, intact.*metric);
  const Json json = Json::object(Json::Layout::lines)
                        .set("format", "tesserec importance")
                        .set("version", 1)
                        .set("checkpoint", loaded.checkpoint)
                        .set("data", loaded.source->info().description)
                        .set("samples", intact.samples)
                        .set("intact", before)
                        .set("features", features);
  comm::agree(loaded.session->comm, [&] {
    if (loaded.session->comm.rank() != 0) return;
    store::make_output_folder(loaded.job.run.folder(), "run.output");
    store::replace_proven(path, json.text() + "\n");
  });
  log_info("wrote " + path);
}

}  // namespace

int evaluate(const Invocation& invocation, const comm::Communicator& comm) {
  const deck::Deck deck = invocation.read_deck();
  if (invocation.has("--importance")) train::require_importance(deck.model);
  LoadedModel loaded(deck, comm, data::Use::evaluate);
  warn_of_unread_keys(comm, deck, {"evaluate"});
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
