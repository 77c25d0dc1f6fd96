// SPDX-License-Identifier: Apache-2.0
#include "score_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/data.hpp>
#include <tesserec/data/labels.hpp>
#include <tesserec/schema/model_deck.hpp>
#include <tesserec/scoring/model_folder.hpp>
#include <tesserec/scoring/scorer.hpp>

namespace tesserec::app {
namespace {

constexpr Index compared_batch = 4096;  // samples that are read and scored at once

constexpr std::pair<const char*, double metrics::SumMetrics::*> compared_sums[] = {
    {"log_loss", &metrics::SumMetrics::log_loss}, {"calibration", &metrics::SumMetrics::calibration}};

void require_same_data(const data::SourceInfo& info, const scoring::TrainedFacts& trained) {
  const auto differ = [](const auto& a, const auto& b) { return !a.empty() && !b.empty() && a != b; };
  const std::pair<const char*, bool> parts[] = {{"vocabulary", differ(info.vocabulary, trained.vocabulary)},
                                                {"dense features", differ(info.dense_names, trained.dense_names)},
                                                {"transforms", differ(info.transforms, trained.transforms)}};
  for (const auto& [name, differs] : parts)
    if (differs)
      fail(info.description, " differs from the data of ", trained.file, " in its ", name,
           "; preprocess it as a file of preprocess.evaluate of the model's deck");
}

}  // namespace

ComparedData compared_data(const std::string& checkpoint, const std::string& file) {
  const data::Deal whole{.batch_size = compared_batch};
  data::Settings settings;
  settings.evaluate = {file};
  const scoring::TrainedFacts facts = scoring::facts_of(store::open_checkpoint(checkpoint));
  ComparedData data;
  data.tasks = schema::read_model(facts.deck, facts.file + ": deck").model.tasks;
  try {
    data.source = data::with_labels(data::make_source(settings, data::Use::evaluate, whole), data.tasks);
    require_same_data(data.source->info(), facts);
    data.source->limit_labels({.may_lack = data.tasks.size() > 1});
    data.source->check_samples();
  } catch (const Error& error) {  // no deck names the file
    const std::string text = error.what(), key = "data.evaluate";
    if (!text.starts_with(key)) throw;
    fail("--data", text.substr(key.size()));
  }
  return data;
}

ScoreComparison compare_scores(const comm::Communicator& comm, const std::string& checkpoint, const std::string& folder,
                               const ComparedData& data) {
  const Exec exec;
  const auto& [source, tasks] = data;
  const scoring::Scorer before(exec, checkpoint), after(exec, folder);
  const std::size_t count = std::max<std::size_t>(1, tasks.size());
  std::vector<std::vector<double>> exact(count), scores(count);    // of each label, of the samples that have it
  std::vector<std::vector<float>> targets(count), weights(count);  // weights are empty if samples have none
  ScoreComparison compared;
  compared.labels.resize(count);
  data::Batch batch(exec);
  source->seek(0, 0);
  Index first = 0;  // sample of the batch
  while (source->next(batch)) {
    const Matrix<float> dense(batch.dense.data(), batch.size, batch.dense.extent(1));  // without spare rows
    std::vector<float> a, b;
    try {
      a = before.predict(exec, dense, batch.sparse);
      b = after.predict(exec, dense, batch.sparse);
    } catch (const Error& error) {
      fail(folder, " is whole, but its scores were not compared: ", source->info().description, ", samples from ",
           first, " on: ", error.what());
    }
    first += batch.size;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::size_t t = i % count;
      double& largest = compared.labels[t].largest_difference;
      largest = std::max(largest, std::fabs(double(a[i]) - double(b[i])));
      if (std::isnan(batch.labels(i))) continue;
      exact[t].push_back(a[i]);
      scores[t].push_back(b[i]);
      targets[t].push_back(batch.labels(i));
      if (source->info().sample_weights) weights[t].push_back(batch.weights(i / count));
    }
  }
  for (std::size_t t = 0; t < count; ++t) {
    compared.labels[t].label = tasks.empty() ? "" : tasks[t];
    compared.labels[t].checkpoint = metrics::binary_metrics(comm, exact[t], targets[t], weights[t]);
    compared.labels[t].folder = metrics::binary_metrics(comm, scores[t], targets[t], weights[t]);
  }
  return compared;
}

std::string ScoreComparison::text() const {
  std::string text;
  for (const LabelComparison& of : labels) {
    const std::string name = labels.size() > 1 ? ", label " + of.label : "";
    text += concat(text.empty() ? "" : "\n", "scores of ", counted(of.folder.samples, "sample"), name, ":\n",
                   right("", 14), right("checkpoint", 13), right("folder", 13), right("change", 13));
    const auto line = [&](const std::string& metric, double before, double after) {
      text += "\n  " + left(metric, 12) + right(fixed(before, 6), 13) + right(fixed(after, 6), 13) +
              right(scientific(after - before, 2), 13);
    };
    line("auc", of.checkpoint.auc, of.folder.auc);
    for (const auto& [metric, sum] : compared_sums) line(metric, of.checkpoint.*sum, of.folder.*sum);
    text += concat("\n  largest difference of a score: ", scientific(of.largest_difference, 3));
  }
  return text;
}

Json ScoreComparison::json() const {
  const auto side = [](const metrics::BinaryMetrics& metrics) {
    Json json = Json::object().set("auc", metrics.auc);
    for (const auto& [name, metric] : compared_sums) json.set(name, metrics.*metric);
    return json;
  };
  const auto json_of_label = [&](const LabelComparison& of) {
    return Json::object()
        .set("samples", of.folder.samples)
        .set("checkpoint", side(of.checkpoint))
        .set("folder", side(of.folder))
        .set("largest_difference", of.largest_difference);
  };
  if (labels.size() == 1) return json_of_label(labels[0]);
  Json json = Json::object();
  for (const LabelComparison& of : labels) json.set(of.label, json_of_label(of));
  return json;
}

}  // namespace tesserec::app
