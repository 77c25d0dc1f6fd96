// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <functional>
#include <ranges>
#include <utility>

#include "best_evaluation.hpp"
#include "delta_watch.hpp"
#include "delta_write.hpp"
#include "memory_check.hpp"
#include "run_figures.hpp"
#include "run_log.hpp"
#include "run_parts.hpp"
#include "window_evaluation.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/comm/rank_watch.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/train/evaluate.hpp>
#include <tesserec/train/job_end.hpp>
#include <tesserec/train/mlperf_log.hpp>
#include <tesserec/train/trained_data.hpp>
#include <tesserec/train/training.hpp>

namespace tesserec::train {
namespace {

constexpr Index small_delta = 1 << 20;  // bytes; syncing a file takes longer than to write so many

data::Source* of_same_columns(data::Source* evaluation, const data::Source& source) {
  if (evaluation != nullptr) require_same_columns(evaluation->info(), source.info());
  return evaluation;
}

/// Tells that the run ends before train.steps.
void tell_short(const Session& session, const RunLength& length) {
  const Index steps = length.last - length.begun, wanted = session.job.train.steps;
  if (session.comm.rank() != 0 || steps >= wanted) return;
  log_warning(concat("train.steps is ", wanted, ", but the data give ", counted(steps, "step"), " in ",
                     counted(session.job.train.epochs, "epoch"), ", after which the run ends"));
}

/// Throws Error if the loss compares the items of a chunk, but no chunk of a step has two samples.
void require_competitors(const Session& session) {
  const Index samples = session.job.train.step_samples(), lanes = session.lanes.count();
  if (session.job.model.loss != "in_batch_softmax" || samples > lanes) return;
  fail("train.batch_size gives a step ", counted(samples, "sample"), " in ", counted(lanes, "lane"),
       ", at most one in each, so in_batch_softmax has no other item to compare with, and nothing would be learned; "
       "raise train.batch_size",
       lanes > 1 ? ", or lower train.lanes" : "");
}

/// Makes the observers that the job's settings require, in their order.
std::vector<std::unique_ptr<Observer>> job_observers(Session& session, data::Source& source, data::Source* evaluation,
                                                     RunLog& log) {
  const bool is_first = session.comm.rank() == 0;
  const data::SourceInfo* const evaluated = evaluation != nullptr ? &evaluation->info() : nullptr;
  auto best = std::make_unique<BestEvaluation>(session);
  auto early_end = std::make_unique<EarlyEnd>(*best, session, evaluation);
  std::vector<std::unique_ptr<Observer>> observers;
  observers.push_back(std::move(best));
  observers.push_back(std::move(early_end));
  observers.push_back(
      std::make_unique<MlperfLog>(is_first ? session.job.run.mlperf_log : std::string(), source.info(), evaluated));
  if (session.job.checkpoint.delta_seconds > 0) observers.push_back(std::make_unique<DeltaWatch>(session));
  observers.push_back(std::make_unique<JobWatch>(is_first));
  observers.push_back(std::make_unique<Progress>(evaluation != nullptr));
  observers.push_back(std::make_unique<WindowEvaluation>(session, source, log));
  return observers;
}

}  // namespace

Training::Training(Session& session, data::Source& source, data::Source* evaluation,
                   const std::vector<Observer*>& observers)
    : session_(session),
      evaluation_(of_same_columns(evaluation, source)),
      pipeline_(
          session.exec, std::ref(session.step), session.model.tables(), source,
          session.job.train.pipeline && (session.comm.size() > 1 || sharding::caches_rows(session.model.tables()))),
      length_(session.job.train, source.info(), Session::deal(session.comm, session.job, false)),
      log_(std::make_unique<RunLog>(session)),
      trained_(std::make_unique<TrainedSamples>()),
      own_(job_observers(session, source, evaluation, *log_)) {
  require_competitors(session);
  comm::agree_on_signals(session.comm);
  restore();
  comm::agree_on_signals(session.comm);
  signals_.orderly.emplace();
  for (const auto& observer : own_) observers_.push_back(observer.get());
  observers_.insert(observers_.end(), observers.begin(), observers.end());
  if (session.job.checkpoint.check_memory) saved_.check = std::make_unique<MemoryCheck>(session);
  for (Observer* observer : observers_) observer->begins(*this);
}

Training::~Training() = default;

void Training::restore() {
  const Job& job = session_.job;
  locks_ = std::make_unique<RunLocks>(session_.comm, job);
  const Timer timer;
  if (const auto restored = train::restore(session_, length_.epoch_samples)) {
    at_ = *restored;
    if (!job.checkpoint.accept.empty()) at_.continues.reset();  // a delta has the deck of the state that it continues
    at_.restore_seconds = timer.seconds();
    length_.resume(at_);
    if (at_.is_own && at_.deltas == 0) saved_.step = at_.step;
    result_.checkpoint = at_.checkpoint;
  }
  if (job.checkpoint.keep > 0) parallel_io::CheckpointFolder(session_.comm, job.checkpoint_folder()).prepare();
  result_.loss = std::nan("");
  pipeline_.seek(at_.epoch, at_.batch);
  tell_short(session_, length_);
  log_->open(at_, length_.last);
}

bool Training::step() {
  if (is_over()) return false;
  comm::note("step", at_.step + 1);
  if (at_.batch == length_.batches(at_.epoch)) {
    ++at_.epoch;
    at_.batch = 0;
  }
  for (Observer* observer : observers_) observer->steps(*this);
  if (!result_.stopped.empty()) return false;
  if (at_.batch == 0) pipeline_.begin(at_.epoch);
  compute();
  log();
  for (Observer* observer : std::views::reverse(observers_)) observer->stepped(*this);
  return true;
}

void Training::compute() {
  const Timer timer;
  double loss = 0;  // mean loss of the step, valid after its last micro-batch
  for (int micro_batch = 0; micro_batch < session_.job.train.accumulate; ++micro_batch) {
    loss = pipeline_(at_.step + 1, length_.read_until(at_.epoch));
    log_->add(session_.step.predictions(), pipeline_.batch());
  }
  const Index samples = pipeline_.batch().global_size;
  at_.add_step(samples, loss);
  result_.loss = at_.loss_sum / double(at_.loss_samples);
  trained_->add(samples, timer.seconds());
}

void Training::log() {
  const Index every = session_.job.train.log_every;
  const bool has_line = (every > 0 && at_.step % every == 0) || at_.step == length_.last;
  if (!has_line) return;
  log_->write_training(at_, result_.loss, trained_->samples_per_second());
  at_.loss_sum = 0;
  at_.loss_samples = 0;
}

std::optional<metrics::BinaryMetrics> Training::evaluate() {
  if (evaluation_ == nullptr) return std::nullopt;
  for (Observer* observer : observers_) observer->evaluates(*this);
  result_.evaluation.reset();
  try {
    result_.evaluation = train::evaluate(session_, *evaluation_, &result_.evaluation_ids);
  } catch (const Stopped& stopped) {  // thrown on all ranks; a resumed run repeats the evaluation
    stop("signal", stopped.signal());
    return std::nullopt;
  }
  result_.evaluation_step = at_.step;
  for (Observer* observer : std::views::reverse(observers_)) observer->evaluated(*this, *result_.evaluation);
  log_->write_evaluation(at_, *result_.evaluation);
  return result_.evaluation;
}

std::string Training::save() {
  finish_delta(true);
  if (session_.job.checkpoint.keep == 0 || saved_.step == at_.step) return result_.checkpoint;
  comm::note("the checkpoint of step", at_.step);
  if (saved_.check) saved_.check->check();
  log_->sync();
  at_.metrics = log_->state();
  const Timer timer;
  result_.checkpoint = train::save(session_, at_, length_.epoch_samples);
  saved_.step = at_.step;
  if (session_.job.checkpoint.delta_seconds > 0)
    at_.continues = {at_.step, parallel_io::seal_of(session_.comm, result_.checkpoint)};
  const double seconds = timer.seconds();
  for (Observer* observer : std::views::reverse(observers_)) observer->saved(*this, seconds);
  return result_.checkpoint;
}

void Training::save_delta() {
  finish_delta(true);
  if (!at_.continues) {
    save();
    return;
  }
  if (session_.job.checkpoint.keep == 0 || at_.continues->step == at_.step) return;
  comm::note("the delta of step", at_.step);
  if (saved_.check) saved_.check->check();
  log_->sync();
  at_.metrics = log_->state();
  saved_.delta = std::make_unique<DeltaWrite>(session_, at_, length_.epoch_samples);
  if (saved_.delta->bytes() < small_delta) finish_delta(true);
}

void Training::finish_delta(bool waits) {
  if (saved_.delta == nullptr) return;
  if (!waits && session_.comm.max(Index{!saved_.delta->on_disk()}) > 0) return;
  const std::unique_ptr<DeltaWrite> delta = std::move(saved_.delta);
  at_.continues.reset();  // if the delta fails, its moved rows are lost, so the next state is a checkpoint
  at_.continues = delta->finish();
}

void Training::stop(const std::string& reason, int signal) {
  if (!result_.stopped.empty()) return;
  result_.stopped = reason;
  result_.signal = signal;
}

TrainResult Training::finish() {
  const auto notify_end = [&] {
    for (Observer* observer : std::views::reverse(observers_)) observer->ends(*this, result_);
  };
  pipeline_.drop();
  const bool is_stopped = !result_.stopped.empty();
  if (is_stopped) notify_end();
  save();  // of the last step
  if (!is_stopped) {
    if (!result_.evaluation || result_.evaluation_step != at_.step) evaluate();
    notify_end();
  }
  log_->close();
  result_.steps = at_.step;
  result_.samples = at_.samples;
  add_figures(session_, *trained_, result_);
  return result_;
}

bool Training::is_due(Index every) const {
  return every > 0 && at_.step > 0 && at_.step < length_.last && at_.step % every == 0;
}

bool Training::lacks_evaluation() const { return log_->lacks_evaluation(); }

}  // namespace tesserec::train
