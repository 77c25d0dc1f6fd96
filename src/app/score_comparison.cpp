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

ScoreComparison compare_scores(const comm::Communicator& comm, const std::string& checkpoint, const std::string& folder,
                               const std::string& file) {
  const Exec exec;
  const data::Deal whole{.batch_size = compared_batch};
  data::Settings settings;
  settings.evaluate = {file};
  const scoring::TrainedFacts facts = scoring::read_model_manifest(folder).facts;
  const std::vector<std::string> tasks = schema::read_model(facts.deck, facts.file + ": deck").model.tasks;
  const auto source = data::with_labels(data::make_source(settings, data::Use::evaluate, whole), tasks);
  require_same_data(source->info(), facts);
  source->limit_labels({});
  const scoring::Scorer before(exec, checkpoint), after(exec, folder);
  std::vector<double> scores, exact;
  std::vector<float> labels;
  ScoreComparison compared;
  data::Batch batch(exec);
  source->seek(0, 0);
  while (source->next(batch)) {
    const Matrix<float> dense(batch.dense.data(), batch.size, batch.dense.extent(1));  // without spare rows
    const std::vector<float> a = before.predict(exec, dense, batch.sparse),
                             b = after.predict(exec, dense, batch.sparse);
    for (std::size_t s = 0; s < a.size(); ++s)
      compared.largest_difference = std::max(compared.largest_difference, std::fabs(double(a[s]) - double(b[s])));
    exact.insert(exact.end(), a.begin(), a.end());
    scores.insert(scores.end(), b.begin(), b.end());
    labels.insert(labels.end(), batch.labels.data(), batch.labels.data() + batch.size);
  }
  compared.checkpoint = metrics::binary_metrics(comm, exact, labels);
  compared.folder = metrics::binary_metrics(comm, scores, labels);
  return compared;
}

std::string ScoreComparison::text() const {
  std::string text = concat("scores of ", counted(folder.samples, "sample"), ":\n", right("", 14),
                            right("checkpoint", 13), right("folder", 13), right("change", 13));
  const auto line = [&](const std::string& name, double before, double after) {
    text += "\n  " + left(name, 12) + right(fixed(before, 6), 13) + right(fixed(after, 6), 13) +
            right(scientific(after - before, 2), 13);
  };
  line("auc", checkpoint.auc, folder.auc);
  for (const auto& [name, metric] : compared_sums) line(name, checkpoint.*metric, folder.*metric);
  return text + concat("\n  largest difference of a score: ", scientific(largest_difference, 3));
}

Json ScoreComparison::json() const {
  const auto side = [](const metrics::BinaryMetrics& metrics) {
    Json json = Json::object().set("auc", metrics.auc);
    for (const auto& [name, metric] : compared_sums) json.set(name, metrics.*metric);
    return json;
  };
  return Json::object()
      .set("samples", folder.samples)
      .set("checkpoint", side(checkpoint))
      .set("folder", side(folder))
      .set("largest_difference", largest_difference);
}

}  // namespace tesserec::app
