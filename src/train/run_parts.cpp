// SPDX-License-Identifier: Apache-2.0
#include "run_parts.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>

#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::train {
namespace {

/// Steps of the whole run.
Index last_step(const Settings& train, Index batches) {
  const Index most = std::numeric_limits<Index>::max() / std::max<Index>(1, batches);  // epochs
  if (train.epochs > most && train.steps == 0)
    fail("train.epochs is ", train.epochs, ", and an epoch has ", batches,
         " steps: they are more than can be counted; lower it, or set train.steps");
  const Index epochs = std::min(train.epochs, most);
  return train.steps > 0 ? std::min(train.steps, epochs * batches) : epochs * batches;
}

std::filesystem::path plain(const std::string& folder) {
  return (std::filesystem::absolute(folder) / "").lexically_normal();
}

}  // namespace

RunLength::RunLength(const Settings& train, Index samples, Index batches)
    : epoch_samples(samples), batches(batches), last(last_step(train, batches)) {}

void warn_of_idle_settings(const Job& job, Index last, bool evaluates) {
  if (job.schedule.warmup_steps > last)
    log_warning(concat("schedule.warmup_steps is ", job.schedule.warmup_steps, ", and the run has ", last,
                       " steps: none has the whole learning rate"));
  if (job.optimizer.dense.lr > 0 && float(optim::scheduled_rate(job.schedule, job.optimizer.dense.lr, last)) == 0.0f)
    log_warning(concat("[schedule] makes the learning rate 0 before the run ends at step ", last));
  if (job.checkpoint.keep_best && job.evaluate.every_steps == 0)
    log_warning("checkpoint.keep_best is true, but evaluate.every_steps is 0: the last evaluation is the only one");
  if (job.evaluate.every_steps > 0 && !evaluates)
    log_warning(concat("evaluate.every_steps is ", job.evaluate.every_steps, ", but there are no evaluation data"));
}

RunLocks::RunLocks(const comm::Communicator& comm, const Job& job) {
  run_.emplace(comm, job.run.folder(), job.run.lock_wait);
  const std::string& apart = job.checkpoint.path;
  if (!apart.empty() && job.checkpoint.keep > 0 && plain(apart) != plain(job.run.folder()))
    checkpoints_.emplace(comm, apart, job.run.lock_wait);
}

void Progress::show(Index step, Index samples, double loss, bool last) {
  const double seconds = timer_.seconds();
  if (!last && seconds - shown_ < 0.2) return;
  shown_ = seconds;
  const double rest = seconds * double(last_ - step) / double(step - first_);
  const Index whole = rest;
  const auto two_digits = [](Index number) { return right(std::to_string(number), 2, '0'); };
  log_progress(
      concat("step ", step, "/", last_, "  ", fixed(double(samples) / seconds, 0), " samples/s  loss ", fixed(loss, 5),
             "  ", two_digits(whole / 3600), ":", two_digits(whole / 60 % 60), ":", two_digits(whole % 60), " to go"),
      last);
}

}  // namespace tesserec::train
