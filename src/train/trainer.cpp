// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>

#include "best_evaluation.hpp"
#include "run_parts.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/comm/rank_watch.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/memory.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/metrics/names.hpp>
#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/train/evaluate.hpp>
#include <tesserec/train/job_end.hpp>
#include <tesserec/train/metrics_log.hpp>
#include <tesserec/train/mlperf_log.hpp>
#include <tesserec/train/pipeline.hpp>
#include <tesserec/train/running_metrics.hpp>
#include <tesserec/train/trained_data.hpp>
#include <tesserec/train/trainer.hpp>

namespace tesserec::train {
namespace {

double median(std::vector<float> values) {
  const auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return values.empty() ? 0 : *middle;
}

template <class Body>
void by_first_rank(const comm::Communicator& comm, const Body& body) {
  comm::agree(comm, [&] {
    if (comm.rank() == 0) body();
  });
}

/// Samples that this process has trained, and their time.
struct Trained {
  Index samples = 0;
  double seconds = 0;  // in steps, waiting for their batches included
  std::vector<float> step_seconds;
};

/// Adds digests, times, bytes and memory of a run that has ended. Collective.
void add_figures(Session& session, const Trained& trained, TrainResult& result) {
  result.samples_per_second = trained.seconds > 0 ? double(trained.samples) / trained.seconds : 0;
  result.weights_digest = weights_digest(session);
  result.state_digest = state_digest(session);
  result.step_seconds = median(trained.step_seconds);
  const auto steps = std::max<Index>(1, std::ssize(trained.step_seconds));
  result.exchange_bytes = session.comm.max(session.model.tables().bytes().all / steps);
  result.between_nodes_bytes = session.comm.max(session.model.tables().bytes().between_nodes / steps);
  result.peak_memory_of_ranks = session.comm.all_gather(peak_resident_bytes());
  result.peak_memory = *std::max_element(result.peak_memory_of_ranks.begin(), result.peak_memory_of_ranks.end());
  result.tables = table_figures(session);
  result.phases = session.step.phases().seconds();
  result.log_lines_lost = session.comm.sum(Index{log_lines_lost()});
}

bool ends_early(const TrainResult& result) { return result.reached_auc || result.out_of_patience; }

/// One run: where it is, and what falls due after a step.
class Run {
 public:
  Run(Session& session, data::Source& source, data::Source* evaluation, const RunHooks& hooks)
      : session_(session),
        hooks_(hooks),
        job_(session.job),
        pipeline_(session.exec, std::ref(session.step), session.model.tables(), source,
                  job_.train.pipeline && session.comm.size() > 1),
        evaluation_(evaluation),
        source_(source),
        mlperf_(session.comm.rank() == 0 ? job_.run.mlperf_log : std::string()),
        running_(session.comm, job_.train.metrics, job_.train.window, job_.evaluate.threshold),
        best_(session.comm, job_),
        length_(job_.train, source.info().samples,
                Session::deal(session.comm, job_, false).batches(source.info().samples)),
        watch_(session.comm.rank() == 0) {}

  TrainResult operator()() {
    const Signals signals;
    comm::agree_to_go_on(session_.comm);
    if (!job_.train.metrics.empty()) session_.step.keep_predictions();
    const bool goes_on = resume();
    comm::agree_to_go_on(session_.comm);
    const Signals::Orderly orderly;  // from here on a signal ends the run with a checkpoint
    hooks_.begins(at_, goes_on);
    const bool lacks = metrics_ != nullptr && metrics_->lacks_evaluation();  // a signal ended it in the run before
    if (is_due_between() && session_.comm.max(lacks) != 0) evaluate();
    Progress progress(at_.step, length_.last);
    while (at_.step < length_.last && result_.signal == 0 && !ends_early(result_)) {
      const Timer timer;
      train();
      trained_.step_seconds.push_back(timer.seconds());
      trained_.seconds += trained_.step_seconds.back();
      log();
      progress.show(at_.step, trained_.samples, result_.loss, at_.step == length_.last);
      result_.signal = session_.comm.max(watch_.signal());
      if (due(job_.evaluate.every_steps) && at_.step < length_.last) evaluate();
      if (due(job_.checkpoint.every_steps) && saved_ != at_.step) checkpoint();
      watch_.turn_took(timer.seconds());
    }
    pipeline_.drop();
    if (ends_early(result_)) end_mlperf();
    if (saved_ != at_.step) checkpoint();
    if (result_.signal == 0 && !ends_early(result_)) {
      evaluate();
      end_mlperf();
    }
    by_first_rank(session_.comm, [&] { metrics_->close(); });
    result_.steps = at_.step;
    result_.samples = at_.samples;
    result_.best = best_.so_far();
    result_.best_checkpoint = best_.checkpoint();
    add_figures(session_, trained_, result_);
    hooks_.ends(result_);
    return result_;
  }

 private:
  /// Returns whether there is a step to make.
  bool resume() {
    locks_.emplace(session_.comm, job_);
    const Timer timer;
    if (const auto restored = restore(session_, length_.epoch_samples)) {
      at_ = *restored;
      length_.last += length_.begun(at_);
      if (at_.is_own) saved_ = at_.step;
      watch_.checkpoint_took(timer.seconds());  // read; better than nothing known
      running_.restore(at_.metrics);
      result_.checkpoint = at_.checkpoint;
    }
    if (job_.checkpoint.keep > 0) parallel_io::CheckpointFolder(session_.comm, job_.checkpoint_folder()).prepare();
    best_.begin(at_.step, length_.begun(at_), at_.is_own && !at_.another_set);
    result_.loss = std::nan("");
    if (is_due_between()) look_back();
    const bool goes_on = at_.step < length_.last && !ends_early(result_);
    if (goes_on)
      mlperf_.begin(job_, source_.info(), evaluation_ != nullptr ? &evaluation_->info() : nullptr, at_.samples);
    if (goes_on && session_.comm.rank() == 0) warn_of_idle_settings(job_, length_.last, evaluation_ != nullptr);
    pipeline_.seek(at_.epoch, at_.batch);
    by_first_rank(session_.comm,
                  [&] { metrics_ = std::make_unique<MetricsLog>(job_.run.folder(), at_.step, length_.last); });
    if (at_.step >= length_.last)
      log_info("finished before: step " + std::to_string(at_.step) + " of " + std::to_string(length_.last));
    return goes_on;
  }

  void train() {
    comm::note("step", at_.step + 1);
    if (at_.batch == length_.batches) {
      ++at_.epoch;
      at_.batch = 0;
    }
    if (at_.batch == 0) mlperf_.start("epoch_start", position());
    double loss = 0;  // of the step, from its last micro-batch on
    for (int micro_batch = 0; micro_batch < job_.train.accumulate; ++micro_batch) {
      loss = pipeline_(at_.step + 1, length_.last);
      if (!job_.train.metrics.empty()) running_.add(session_.step.predictions(), pipeline_.batch());
    }
    const Index samples = pipeline_.batch().global_size;
    trained_.samples += samples;
    at_.add_step(samples, loss);
    result_.loss = at_.loss_sum / double(at_.loss_samples);
    hooks_.stepped(at_);
    if (at_.batch == length_.batches) mlperf_.stop("epoch_stop", position());
  }

  bool due(Index every) const { return every > 0 && at_.step % every == 0; }

  void log() {
    if (!due(job_.train.log_every) && at_.step != length_.last) return;
    std::vector<std::pair<std::string, double>> values = {
        {"samples", double(at_.samples)},
        {"loss", result_.loss},
        {"lr", optim::scheduled_rate(job_.schedule, job_.optimizer.dense.lr, at_.step)},
        {"samples_per_second", double(trained_.samples) / trained_.seconds}};
    if (job_.optimizer.max_norm > 0) values.emplace_back("gradient_norm", session_.step.gradient_norm());
    for (auto& value : running_.line()) values.push_back(std::move(value));
    by_first_rank(session_.comm, [&] { metrics_->write(at_.step, "train", values); });
    at_.loss_sum = 0;
    at_.loss_samples = 0;
  }

  void evaluate() {
    if (evaluation_ == nullptr) return;
    mlperf_.start("eval_start", position());
    try {
      result_.evaluation = train::evaluate(session_, *evaluation_, &result_.evaluation_ids);
    } catch (const Stopped& stopped) {  // on all ranks; the run that goes on makes up for it
      result_.evaluation.reset();
      result_.signal = stopped.signal();
    }
    mlperf_.stop("eval_stop", position());
    if (!result_.evaluation) return;
    result_.evaluation_step = at_.step;
    mlperf_.accuracy(result_.evaluation->auc, position());
    const bool better = best_.is_better(*result_.evaluation, at_.step);
    look_at(*result_.evaluation, better);
    log_info(concat("step ", at_.step, ", evaluation: ", describe(*result_.evaluation, job_.evaluate.metrics),
                    better ? concat("; the best ", job_.evaluate.monitor, " so far") : ""));
    if (better) keep_best();
    auto values = metrics::chosen(*result_.evaluation, job_.evaluate.metrics);
    values.insert(values.begin(), {"samples", double(at_.samples)});
    by_first_rank(session_.comm, [&] { metrics_->write(at_.step, "evaluate", values); });
  }

  bool is_due_between() const { return at_.step > 0 && at_.step < length_.last && due(job_.evaluate.every_steps); }

  /// Decides whether the run ends with this evaluation.
  void look_at(const metrics::BinaryMetrics& metrics, bool better) {
    result_.reached_auc = job_.evaluate.stop_at_auc > 0 && metrics.auc >= job_.evaluate.stop_at_auc;
    result_.out_of_patience = at_.step < length_.last && !better && best_.is_out_of_patience(at_.step);
  }

  /// The evaluation's line comes after its checkpoint: a run that a kill ends between them evaluates again.
  void keep_best() {
    if (job_.checkpoint.keep_best && saved_ != at_.step) checkpoint();
    best_.take(*result_.evaluation, at_.step);
  }

  /// Decides whether the run ended where it goes on: its last evaluation once more, of which the log has the line.
  void look_back() {
    if (evaluation_ == nullptr || (job_.evaluate.stop_at_auc == 0 && !best_.is_out_of_patience(at_.step))) return;
    const auto metrics = train::evaluate(session_, *evaluation_, &result_.evaluation_ids);
    look_at(metrics, best_.is_better(metrics, at_.step));
    if (ends_early(result_)) {
      result_.evaluation = metrics;
      result_.evaluation_step = at_.step;
    }
  }

  void end_mlperf() {
    if (result_.signal != 0) return;
    if (at_.batch != length_.batches) mlperf_.stop("epoch_stop", position());
    mlperf_.end(job_.evaluate.stop_at_auc == 0 || result_.reached_auc, position());
  }
  MlperfLog::At position() const { return {double(at_.samples) / double(length_.epoch_samples), at_.samples}; }

  void checkpoint() {
    if (job_.checkpoint.keep == 0) return;
    comm::note("the checkpoint of step", at_.step);
    by_first_rank(session_.comm, [&] { metrics_->sync(); });
    at_.metrics = running_.state();
    const Timer timer;
    result_.checkpoint = save(session_, at_, length_.epoch_samples, best_.kept_step());
    saved_ = at_.step;
    watch_.checkpoint_took(timer.seconds());
  }

  Session& session_;
  const RunHooks& hooks_;
  const Job& job_;
  TrainPipelineSparseDist pipeline_;
  data::Source* evaluation_;
  data::Source& source_;
  MlperfLog mlperf_;
  RunningMetrics running_;
  BestEvaluation best_;
  RunLength length_;
  Position at_;
  Index saved_ = -1;
  Trained trained_;
  JobWatch watch_;
  std::optional<RunLocks> locks_;
  std::unique_ptr<MetricsLog> metrics_;  // of the first rank
  TrainResult result_;
};

}  // namespace

TrainResult train(Session& session, data::Source& source, data::Source* evaluation, const RunHooks& hooks) {
  if (evaluation != nullptr) require_same_columns(evaluation->info(), source.info());
  return Run(session, source, evaluation, hooks)();
}

}  // namespace tesserec::train
