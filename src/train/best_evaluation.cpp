// SPDX-License-Identifier: Apache-2.0
#include "best_evaluation.hpp"

#include <algorithm>
#include <cmath>

#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/metrics/names.hpp>

namespace tesserec::train {

BestEvaluation::BestEvaluation(const comm::Communicator& comm, const Job& job)
    : job_(job), folder_(comm, job.checkpoint_folder()), used_(job.checkpoint.keep_best || job.evaluate.patience > 0) {
  const std::vector<std::string> rising = metrics::more_is_better();
  more_is_better_ = std::find(rising.begin(), rising.end(), job.evaluate.monitor) != rising.end();
}

void BestEvaluation::begin(Index step, Index begun, bool goes_on) {
  begun_ = begun;
  if (job_.checkpoint.keep == 0) return;
  best_ = folder_.best();
  if (!best_) return;
  const bool holds = goes_on && used_ && best_->step <= step && best_->step >= begun &&
                     best_->metric == job_.evaluate.monitor && (!job_.checkpoint.keep_best || !checkpoint().empty());
  if (holds) return;
  if (goes_on && !used_)
    log_info(concat("checkpoint.keep_best is off: the best checkpoint, of step ", best_->step, ", is kept no longer"));
  folder_.mark_best(std::nullopt);
  best_.reset();
}

double BestEvaluation::value_of(const metrics::BinaryMetrics& metrics) const {
  return metrics::chosen(metrics, {job_.evaluate.monitor}).front().second;
}

bool BestEvaluation::is_better(const metrics::BinaryMetrics& metrics, Index step) const {
  if (!used_) return false;
  const double value = value_of(metrics);
  if (std::isnan(value)) return false;
  if (!best_ || best_->step == step) return true;
  return more_is_better_ ? value > best_->value : value < best_->value;
}

void BestEvaluation::take(const metrics::BinaryMetrics& metrics, Index step) {
  best_ = {job_.evaluate.monitor, value_of(metrics), step};
  if (job_.checkpoint.keep == 0) return;
  folder_.mark_best(best_);
  if (job_.checkpoint.keep_best) folder_.prune({step, ""}, job_.checkpoint.keep, step);
}

std::string BestEvaluation::checkpoint() const {
  if (!kept_step()) return "";
  for (const store::Checkpoint& one : folder_.list())
    if (one.step == *kept_step()) return one.folder;
  return "";
}

std::optional<Index> BestEvaluation::kept_step() const {
  return best_ && job_.checkpoint.keep_best ? std::optional(best_->step) : std::nullopt;
}

bool BestEvaluation::is_out_of_patience(Index step) const {
  const Index every = job_.evaluate.every_steps, patience = job_.evaluate.patience;
  if (patience == 0 || every == 0) return false;
  return step / every - (best_ ? best_->step : begun_) / every >= patience;
}

}  // namespace tesserec::train
