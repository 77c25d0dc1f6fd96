// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <tuple>

#include <sys/resource.h>

#include <tesserec/comm/agree.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/metrics/names.hpp>
#include <tesserec/store/checkpoint_folder.hpp>
#include <tesserec/store/lock.hpp>
#include <tesserec/train/checkpoint.hpp>
#include <tesserec/train/evaluate.hpp>
#include <tesserec/train/metrics_log.hpp>
#include <tesserec/train/pipeline.hpp>
#include <tesserec/train/progress.hpp>
#include <tesserec/train/running_metrics.hpp>
#include <tesserec/train/signals.hpp>
#include <tesserec/train/trainer.hpp>

namespace tesserec::train {
namespace {

double median(std::vector<float> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Index peak_memory() {
  rusage usage{};
  return getrusage(RUSAGE_SELF, &usage) == 0 ? Index{usage.ru_maxrss} * 1024 : 0;
}

/// One run: where it is, and what falls due after a step.
class Run {
 public:
  Run(Session& session, data::Source& source, data::Source* evaluation)
      : session_(session),
        job_(session.job),
        pipeline_(session.exec, std::ref(session.step), session.model.tables(), source,
                  job_.train.pipeline && session.comm.size() > 1),
        evaluation_(evaluation),
        running_(session.comm, job_.train.metrics, job_.train.window, job_.evaluate.threshold),
        epoch_samples_(source.info().samples),
        batches_(Session::deal(session.comm, job_, false).batches(epoch_samples_)),
        last_step_(job_.train.steps > 0 ? std::min(job_.train.steps, job_.train.epochs * batches_)
                                        : job_.train.epochs * batches_) {}

  TrainResult operator()() {
    const Signals signals;
    if (!job_.train.metrics.empty()) session_.step.keep_predictions();
    resume();
    Progress progress(at_.step, last_step_);
    while (at_.step < last_step_ && result_.signal == 0) {
      const Timer timer;
      train();
      trained_.step_seconds.push_back(timer.seconds());
      trained_.seconds += trained_.step_seconds.back();
      log();
      progress.show(at_.step, trained_.samples, result_.loss, at_.step == last_step_);
      result_.signal = session_.comm.max(Signals::received());
      if (due(job_.evaluate.every_steps) && at_.step < last_step_) evaluate();
      if (due(job_.checkpoint.every_steps)) checkpoint();
    }
    pipeline_.drop();
    if (saved_ != at_.step) checkpoint();
    if (result_.signal == 0) evaluate();
    by_first_rank([&] { metrics_->close(); });
    return finish();
  }

 private:
  void resume() {
    lock();
    if (const auto restored = restore(session_, epoch_samples_)) {
      at_ = *restored;
      saved_ = at_.step;
      running_.restore(at_.metrics);
      result_.checkpoint = at_.checkpoint;
    }
    if (job_.checkpoint.keep > 0) store::CheckpointFolder(session_.comm, job_.checkpoint_folder()).prepare();
    pipeline_.seek(at_.epoch, at_.batch);
    by_first_rank([&] { metrics_ = std::make_unique<MetricsLog>(job_.run.folder(), at_.step, last_step_); });
    if (at_.step >= last_step_)
      log_info("finished before: step " + std::to_string(at_.step) + " of " + std::to_string(last_step_));
    result_.loss = std::nan("");
  }

  /// The folders are this job's from here on.
  void lock() {
    locks_.emplace_back(session_.comm, job_.run.folder(), job_.run.lock_wait);
    const auto plain = [](const std::string& folder) {
      return (std::filesystem::absolute(folder) / "").lexically_normal();
    };
    const std::string& apart = job_.checkpoint.path;
    if (!apart.empty() && job_.checkpoint.keep > 0 && plain(apart) != plain(job_.run.folder()))
      locks_.emplace_back(session_.comm, job_.checkpoint.path, job_.run.lock_wait);
  }

  template <class Body>
  void by_first_rank(const Body& body) {
    comm::agree(session_.comm, [&] {
      if (session_.comm.rank() == 0) body();
    });
  }

  void train() {
    if (at_.batch == batches_) ++at_.epoch, at_.batch = 0;
    for (int micro_batch = 0; micro_batch < job_.train.accumulate; ++micro_batch) {
      result_.loss = pipeline_(at_.step + 1, last_step_);
      if (!job_.train.metrics.empty()) running_.add(session_.step.predictions(), pipeline_.batch());
    }
    const Index samples = pipeline_.batch().global_size;
    trained_.samples += samples;
    ++at_.step, ++at_.batch;
    at_.samples += samples;
    at_.loss_sum += result_.loss * double(samples);
    at_.loss_samples += samples;
  }

  bool due(Index every) const { return every > 0 && at_.step % every == 0; }

  void log() {
    if (!due(job_.train.log_every) && at_.step != last_step_) return;
    std::vector<std::pair<std::string, double>> values = {
        {"samples", double(at_.samples)},
        {"loss", at_.loss_sum / double(at_.loss_samples)},
        {"lr", optim::scheduled_rate(job_.schedule, job_.optimizer.dense.lr, at_.step)},
        {"samples_per_second", double(trained_.samples) / trained_.seconds}};
    if (job_.optimizer.max_norm > 0) values.emplace_back("gradient_norm", session_.step.gradient_norm());
    for (auto& value : running_.line()) values.push_back(std::move(value));
    by_first_rank([&] { metrics_->write(at_.step, "train", values); });
    at_.loss_sum = 0;
    at_.loss_samples = 0;
  }

  void evaluate() {
    if (evaluation_ == nullptr) return;
    result_.evaluation = train::evaluate(session_, *evaluation_);
    log_info("step " + std::to_string(at_.step) +
             ", evaluation: " + describe(*result_.evaluation, job_.evaluate.metrics));
    by_first_rank(
        [&] { metrics_->write(at_.step, "evaluate", metrics::chosen(*result_.evaluation, job_.evaluate.metrics)); });
  }

  void checkpoint() {
    if (job_.checkpoint.keep == 0) return;
    by_first_rank([&] { metrics_->sync(); });
    at_.metrics = running_.state();
    result_.checkpoint = save(session_, at_, epoch_samples_);
    saved_ = at_.step;
  }

  TrainResult finish() {
    result_.steps = at_.step;
    result_.samples = at_.samples;
    result_.samples_per_second = trained_.seconds > 0 ? double(trained_.samples) / trained_.seconds : 0;
    result_.weights_digest = weights_digest(session_);
    result_.state_digest = state_digest(session_);
    result_.step_seconds = median(trained_.step_seconds);
    const auto steps = std::max<Index>(1, std::ssize(trained_.step_seconds));
    result_.exchange_bytes = session_.comm.max(session_.step.bytes_sent() / steps);
    result_.between_nodes_bytes = session_.comm.max(session_.step.bytes_between_nodes() / steps);
    std::tie(result_.id_wait_alone, result_.id_wait) = session_.step.id_waits();
    result_.peak_memory = session_.comm.max(peak_memory());
    result_.phases = session_.step.phases().seconds();
    return result_;
  }

  Session& session_;
  const Job& job_;
  TrainPipelineSparseDist pipeline_;
  data::Source* evaluation_;
  RunningMetrics running_;
  Index epoch_samples_;
  Index batches_;
  Index last_step_;
  Position at_;
  Index saved_ = -1;
  struct {
    Index samples = 0;
    double seconds = 0;  // in steps, waiting for their batches included
    std::vector<float> step_seconds;
  } trained_;  // by this process
  std::deque<store::FolderLock> locks_;
  std::unique_ptr<MetricsLog> metrics_;  // of the first rank
  TrainResult result_;
};

}  // namespace

TrainResult train(Session& session, data::Source& source, data::Source* evaluation) {
  return Run(session, source, evaluation)();
}

}  // namespace tesserec::train
