// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <tesserec/comm/agree.hpp>
#include <tesserec/comm/rank_watch.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/metrics/names.hpp>
#include <tesserec/train/evaluate.hpp>

namespace tesserec::train {
namespace {

/// Calls sink(batch, probabilities) for each batch of an epoch. First appends the batch's tower vectors to `towers`,
/// unless null. Collective.
template <class Sink>
void for_each_prediction(Session& session, data::Source& source, Index epoch, metrics::TowerVectors* towers,
                         const Sink& sink) {
  std::vector<float> vectors;  // query and item vectors [B, 2 dim]
  source.seek(epoch, 0);
  data::Batch batch(session.exec);
  Index batches = 0;
  std::vector<float> probabilities;
  while (source.next(batch)) {
    comm::note("evaluation batch", ++batches);
    comm::agree_on_signals(session.comm);
    probabilities.resize(batch.size);
    if (towers != nullptr) vectors.resize(2 * batch.size * towers->dim);
    session.step.predict(batch, probabilities.data(), towers != nullptr ? vectors.data() : nullptr);
    for (auto from = vectors.begin(); from != vectors.end(); from += 2 * towers->dim) {
      towers->queries.insert(towers->queries.end(), from, from + towers->dim);
      towers->items.insert(towers->items.end(), from + towers->dim, from + 2 * towers->dim);
    }
    sink(batch, probabilities);
  }
}

/// Appends each sample's only id of a feature to `groups`, or -1 if it has none or several. Returns the number of -1.
Index add_groups(const data::Batch& batch, Index feature, std::vector<Index>& groups) {
  Index without = 0;
  for (Index sample = 0; sample < batch.size; ++sample) {
    const bool is_single = batch.sparse.length(feature, sample) == 1;
    groups.push_back(is_single ? batch.sparse.values(batch.sparse.begin(feature, sample)) : -1);
    without += !is_single;
  }
  return without;
}

}  // namespace

metrics::BinaryMetrics evaluate(Session& session, data::Source& source, std::vector<FeatureIds>* ids, Index epoch) {
  const EvaluateSettings& settings = session.job.evaluate;
  const bool grouped = std::any_of(settings.metrics.begin(), settings.metrics.end(), metrics::needs_groups);
  std::vector<double> scores;
  std::vector<float> labels, weights;
  std::vector<Index> groups;
  Index without = 0;
  metrics::TowerVectors towers;
  std::vector<FeatureIds> counts;
  const bool retrieves = std::any_of(settings.metrics.begin(), settings.metrics.end(), metrics::needs_towers);
  if (retrieves && (towers.dim = session.model.dense.tower_width()) == 0)
    fail(
        "evaluate.metrics has candidate_recall, which needs two towers: a model whose last layer is a score, or a cat, "
        "of two vectors of one width, as model.type = \"two_tower\"");
  for_each_prediction(session, source, epoch, retrieves ? &towers : nullptr,
                      [&](const data::Batch& batch, const std::vector<float>& probabilities) {
                        scores.insert(scores.end(), probabilities.begin(), probabilities.end());
                        labels.insert(labels.end(), batch.labels.data(), batch.labels.data() + batch.size);
                        if (source.info().sample_weights)
                          weights.insert(weights.end(), batch.weights.data(), batch.weights.data() + batch.size);
                        count_ids(batch, counts);
                        if (grouped) without += add_groups(batch, batch.sparse.find(settings.group), groups);
                      });
  require_one_id(settings.group, session.comm.sum(without), source.info());
  sum_over_ranks(session.comm, counts);
  if (ids != nullptr) *ids = std::move(counts);
  metrics::BinaryMetrics result = metrics::binary_metrics(session.comm, scores, labels, weights, settings.threshold);
  if (grouped)
    static_cast<metrics::GroupMetrics&>(result) =
        metrics::group_metrics(session.comm, groups, scores, labels, settings.k, settings.group_weight);
  if (retrieves) result.candidate_recall = metrics::candidate_recall(session.comm, towers, labels, settings.k);
  return result;
}

void require_one_id(const std::string& group, Index without, const data::SourceInfo& data) {
  if (without > 0)
    fail("evaluate.group: feature \"", group, "\" has no id, or several, in ", counted(without, "sample"), " of ",
         data.description, "; name a feature with one id per sample");
}

Index predict(Session& session, data::Source& source, const std::string& path, ScoresFormat format) {
  const comm::Communicator& comm = session.comm;
  const auto file = make_scores_file(session, source, path, format);
  Index first = 0;  // first sample of the batch, counted in the epoch
  for_each_prediction(
      session, source, 0, nullptr, [&](const data::Batch& batch, const std::vector<float>& probabilities) {
        const Range own = session.lanes.samples_of_rank(comm.rank(), comm.size(), batch.global_size, batch.micro_batch);
        file->write({first + own.begin, first + own.end}, batch, probabilities);
        if (batch.micro_batch + 1 == session.lanes.micro_batches()) first += batch.global_size;
      });
  file->publish();
  return source.info().samples;
}

std::string describe(const metrics::BinaryMetrics& all, const std::vector<std::string>& names) {
  const auto metric_text = [](const auto& metric) {
    return metric.first + " " + (std::isnan(metric.second) ? "undefined" : fixed(metric.second, 6));
  };
  return concat(join(metrics::chosen(all, names), ", ", metric_text), ", ", counted(all.samples, "sample"), ", ",
                counted(std::accumulate(all.bins.clicks.begin(), all.bins.clicks.end(), Index{0}), "click"),
                ", base rate ", fixed(all.ctr, 6));
}

}  // namespace tesserec::train
