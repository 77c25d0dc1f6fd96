// SPDX-License-Identifier: Apache-2.0
#include "best_evaluation.hpp"

#include <algorithm>
#include <cmath>

#include "checkpoint_parts.hpp"
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/metrics/names.hpp>
#include <tesserec/train/evaluate.hpp>
#include <tesserec/train/training.hpp>

namespace tesserec::train {

BestEvaluation::BestEvaluation(const Session& session)
    : job_(session.job),
      folder_(session.comm, job_.checkpoint_folder()),
      tracks_best_(job_.checkpoint.keep_best || job_.evaluate.patience > 0) {
  const std::vector<std::string> rising = metrics::more_is_better();
  more_is_better_ = std::find(rising.begin(), rising.end(), job_.evaluate.monitor) != rising.end();
}

void BestEvaluation::begins(Training& training) {
  const Position& at = training.position();
  const bool resumes = at.is_own && !at.another_set;
  begun_ = training.length().begun;
  if (job_.checkpoint.keep == 0) return;
  best_ = folder_.best();
  if (!best_) return;
  const bool is_valid = resumes && tracks_best_ && best_->step <= at.step && best_->step >= begun_ &&
                        best_->metric == monitored() && (!job_.checkpoint.keep_best || !checkpoint().empty());
  if (is_valid) return;
  if (resumes && !tracks_best_)
    log_info(
        concat("checkpoint.keep_best is false, so the best checkpoint, of step ", best_->step, ", is no longer kept"));
  if (resumes && tracks_best_ && best_->metric != monitored())
    log_info(concat("the best evaluation, of step ", best_->step, ", is the best by ", best_->metric, ", not by ",
                    monitored(), ", so the best one is looked for anew"));
  folder_.mark_best(std::nullopt);
  best_.reset();
}

void BestEvaluation::evaluated(Training& training, const metrics::BinaryMetrics& metrics) {
  const Index step = training.position().step;
  const bool better = is_better(metrics, step);
  log_info(concat("step ", step, ", evaluation: ", describe(metrics, job_.evaluate.metrics),
                  better ? concat("; the best ", monitored(), " so far") : ""));
  warn_if_undefined(metrics);
  if (!better) return;
  // The checkpoint precedes the evaluation's line in metrics.jsonl, so a run that is killed between them evaluates
  // again.
  if (job_.checkpoint.keep_best) training.save();
  record(metrics, step);
}

void BestEvaluation::ends(Training&, TrainResult& result) {
  result.best = best_;
  result.best_checkpoint = checkpoint();
}

double BestEvaluation::value_of(const metrics::BinaryMetrics& metrics) const {
  return metrics::chosen(metrics, {job_.evaluate.monitor}).front().second;
}

std::string BestEvaluation::monitored() const {
  const EvaluateSettings& settings = job_.evaluate;
  return settings.task.empty() ? settings.monitor : settings.task + "." + settings.monitor;
}

void BestEvaluation::warn_if_undefined(const metrics::BinaryMetrics& metrics) {
  if (warned_ || !tracks_best_ || !job_.evaluate.task.empty() || !std::isnan(value_of(metrics))) return;
  std::vector<std::string> undefined;
  for (std::size_t t = 0; t < metrics.tasks.size(); ++t)
    if (std::isnan(value_of(metrics.tasks[t]))) undefined.push_back(metrics.task_names[t]);
  if (undefined.empty()) return;
  warned_ = true;
  log_common_warning(concat(job_.evaluate.monitor, " of ", join(undefined),
                            " is undefined on the evaluation data, and so is ",
                            "the mean, so no evaluation is the best one; name another label in evaluate.task"));
}

bool BestEvaluation::is_better(const metrics::BinaryMetrics& metrics, Index step) const {
  if (!tracks_best_) return false;
  const double value = value_of(metrics);
  if (std::isnan(value)) return false;
  if (!best_ || best_->step == step) return true;
  return more_is_better_ ? value > best_->value : value < best_->value;
}

void BestEvaluation::record(const metrics::BinaryMetrics& metrics, Index step) {
  best_ = {monitored(), value_of(metrics), step};
  if (job_.checkpoint.keep == 0) return;
  folder_.mark_best(best_);
  if (job_.checkpoint.keep_best) folder_.prune({step, ""}, kept_states(job_.checkpoint, step));
}

std::string BestEvaluation::checkpoint() const {
  if (!best_ || !job_.checkpoint.keep_best) return "";
  for (const store::Checkpoint& checkpoint : folder_.list())
    if (checkpoint.step == best_->step) return checkpoint.folder;
  return "";
}

bool BestEvaluation::is_out_of_patience(Index step) const {
  const Index every = job_.evaluate.every_steps, patience = job_.evaluate.patience;
  if (patience == 0 || every == 0) return false;
  return step / every - (best_ ? best_->step : begun_) / every >= patience;
}

void EarlyEnd::begins(Training& training) {
  const EvaluateSettings& settings = session_.job.evaluate;
  const Index step = training.position().step;
  if (evaluation_ == nullptr || !training.is_due(settings.every_steps)) return;
  if (settings.stop_at_auc == 0 && !best_.is_out_of_patience(step)) return;
  const metrics::BinaryMetrics metrics = evaluate(session_, *evaluation_, &repeated_.evaluation_ids);
  evaluated(training, metrics);
  if (!training.is_over()) return;
  repeated_.evaluation = metrics;
  repeated_.evaluation_step = step;
}

void EarlyEnd::evaluated(Training& training, const metrics::BinaryMetrics& metrics) {
  const double target = session_.job.evaluate.stop_at_auc;
  const Index step = training.position().step;
  if (target > 0 && metrics.auc >= target) training.stop("auc");
  if (step < training.length().last && !best_.is_better(metrics, step) && best_.is_out_of_patience(step))
    training.stop("patience");
}

void EarlyEnd::ends(Training&, TrainResult& result) {
  if (!repeated_.evaluation || result.evaluation) return;
  result.evaluation = repeated_.evaluation;
  result.evaluation_step = repeated_.evaluation_step;
  result.evaluation_ids = repeated_.evaluation_ids;
}

}  // namespace tesserec::train
