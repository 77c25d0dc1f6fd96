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
    probabilities.resize(batch.size * session.job.model.labels());
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

/// Samples of this rank that have one of the labels.
struct Evaluated {
  std::vector<double> scores;
  std::vector<float> labels, weights;  // weights are empty if samples have none
  std::vector<Index> groups;           // empty without groups

  /// Adds the samples of a batch that have label `task`. `of_samples` [B]: the group of each, or none. Returns the
  /// number of samples without the label.
  Index add(const data::Batch& batch, const std::vector<float>& probabilities, std::size_t task, bool weighted,
            const std::vector<Index>& of_samples) {
    Index lacking = 0;
    for (Index b = 0; b < batch.size; ++b) {
      const Index at = b * batch.tasks + Index(task);
      if (std::isnan(batch.labels(at))) {
        ++lacking;
        continue;
      }
      scores.push_back(probabilities[at]);
      labels.push_back(batch.labels(at));
      if (weighted) weights.push_back(batch.weights(b));
      if (!of_samples.empty()) groups.push_back(of_samples[b]);
    }
    return lacking;
  }
};

/// Throws Error if samples lack the only label of a model, or batches have other labels than their source says.
/// Collective.
void require_labels_in(const Session& session, const data::SourceInfo& data, Index lacking, Index misfits) {
  if (session.comm.sum(misfits) > 0)
    fail(data.description, ": batches have another number of labels per sample than the ", data.label_count(),
         " of SourceInfo; give them so many (data::reserve_batch)");
  const Index all_lacking = session.comm.sum(lacking);
  if (session.job.model.labels() == 1 && all_lacking > 0)
    fail(data.description, ": ", counted(all_lacking, "sample"), " lack the label ", join(session.job.model.tasks),
         ", the only one that the model learns; leave these samples out");
}

/// Throws Error that names the first sample of a batch whose score is not finite. `first`: number of its first sample.
void require_finite(const std::vector<float>& scores, Index labels, const data::Source& source, Index first) {
  const auto found = std::ranges::find_if(scores, [](float score) { return !std::isfinite(score); });
  if (found != scores.end())
    fail(source.info().description, ": the score of sample ", first + (found - scores.begin()) / labels,
         ", counted from 0, is not finite; look for far numbers in its row, or for damage with `tesserec verify`");
}

}  // namespace

metrics::BinaryMetrics evaluate(Session& session, data::Source& source, std::vector<FeatureIds>* ids, Index epoch) {
  const EvaluateSettings& settings = session.job.evaluate;
  const bool grouped = std::any_of(settings.metrics.begin(), settings.metrics.end(), metrics::needs_groups);
  require_labels_of(session.job.model, source.info());
  std::vector<Evaluated> tasks(session.job.model.labels());
  Index without = 0, samples = 0, lacking = 0, misfits = 0;
  metrics::TowerVectors towers;
  std::vector<FeatureIds> counts;
  const bool retrieves = std::any_of(settings.metrics.begin(), settings.metrics.end(), metrics::needs_towers);
  if (retrieves && tasks.size() > 1)
    fail("evaluate.metrics has candidate_recall, which needs a model of one label, but model.tasks has ",
         join(session.job.model.tasks), "; remove it");
  if (retrieves && (towers.dim = session.model.dense.tower_width()) == 0)
    fail(
        "evaluate.metrics has candidate_recall, which needs two towers: a model whose last layer is a score, or a cat, "
        "of two vectors of one width, as model.type = \"two_tower\"");
  std::vector<Index> groups;  // of a batch
  for_each_prediction(session, source, epoch, retrieves ? &towers : nullptr,
                      [&](const data::Batch& batch, const std::vector<float>& probabilities) {
                        samples += batch.size;
                        misfits += batch.tasks != std::ssize(tasks);
                        if (misfits > 0) return;
                        groups.clear();
                        if (grouped) without += add_groups(batch, batch.sparse.find(settings.group), groups);
                        for (std::size_t t = 0; t < tasks.size(); ++t)
                          lacking += tasks[t].add(batch, probabilities, t, source.info().sample_weights, groups);
                        count_ids(batch, counts);
                      });
  require_labels_in(session, source.info(), lacking, misfits);
  require_one_id(settings.group, session.comm.sum(without), source.info());
  sum_over_ranks(session.comm, counts);
  if (ids != nullptr) *ids = std::move(counts);
  std::vector<metrics::BinaryMetrics> results;
  for (const Evaluated& task : tasks) {
    metrics::BinaryMetrics& result = results.emplace_back(
        metrics::binary_metrics(session.comm, task.scores, task.labels, task.weights, settings.threshold));
    if (grouped)
      static_cast<metrics::GroupMetrics&>(result) = metrics::group_metrics(
          session.comm, task.groups, task.scores, task.labels, settings.k, settings.group_weight);
    if (retrieves) result.candidate_recall = metrics::candidate_recall(session.comm, towers, task.labels, settings.k);
  }
  if (tasks.size() == 1) return results.front();
  return metrics::of_tasks(session.job.model.tasks, std::move(results), settings.task, session.comm.sum(samples));
}

void require_one_id(const std::string& group, Index without, const data::SourceInfo& data) {
  if (without > 0)
    fail("evaluate.group: feature \"", group, "\" has no id, or several, in ", counted(without, "sample"), " of ",
         data.description, "; name a feature with one id per sample");
}

Index predict(Session& session, data::Source& source, const std::string& path, ScoresFormat format) {
  const comm::Communicator& comm = session.comm;
  if (source.info().labelled) require_labels_of(session.job.model, source.info());
  const auto file = make_scores_file(session, source, path, format);
  Index first = 0;  // first sample of the batch, counted in the epoch
  for_each_prediction(
      session, source, 0, nullptr, [&](const data::Batch& batch, const std::vector<float>& probabilities) {
        const Range own = session.lanes.samples_of_rank(comm.rank(), comm.size(), batch.global_size, batch.micro_batch);
        comm::agree(comm,
                    [&] { require_finite(probabilities, session.job.model.labels(), source, first + own.begin); });
        file->write({first + own.begin, first + own.end}, batch, probabilities);
        if (batch.micro_batch + 1 == session.lanes.micro_batches()) first += batch.global_size;
      });
  file->publish();
  return source.info().samples;
}

std::string describe(const metrics::BinaryMetrics& all, const std::vector<std::string>& names) {
  const auto value_text = [](double value) { return std::isnan(value) ? "undefined" : fixed(value, 6); };
  const auto clicks_of = [](const metrics::BinaryMetrics& one) {
    return counted(std::accumulate(one.bins.clicks.begin(), one.bins.clicks.end(), Index{0}), "click");
  };
  std::string text;
  for (const auto& [name, value] : metrics::chosen(all, names)) {
    std::vector<std::string> of_tasks;
    for (std::size_t t = 0; t < all.tasks.size(); ++t)
      of_tasks.push_back(
          concat(all.task_names[t], " ", value_text(metrics::chosen(all.tasks[t], {name}).front().second)));
    text += concat(name, " ", value_text(value), of_tasks.empty() ? "" : " (" + join(of_tasks) + ")", ", ");
  }
  text += counted(all.samples, "sample");
  if (all.tasks.empty()) return concat(text, ", ", clicks_of(all), ", base rate ", value_text(all.ctr));
  for (std::size_t t = 0; t < all.tasks.size(); ++t) {
    const metrics::BinaryMetrics& one = all.tasks[t];
    const std::string labelled = one.samples < all.samples ? concat(" of ", counted(one.samples, "sample")) : "";
    text += concat(", ", all.task_names[t], ": ", clicks_of(one), labelled, ", base rate ", value_text(one.ctr));
  }
  return text;
}

}  // namespace tesserec::train
