// SPDX-License-Identifier: Apache-2.0
#include "run_length.hpp"

#include <algorithm>
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

}  // namespace tesserec::train
