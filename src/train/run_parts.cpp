// SPDX-License-Identifier: Apache-2.0
#include "run_parts.hpp"

#include <filesystem>
#include <utility>

#include <tesserec/comm/agree.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/train/training.hpp>

namespace tesserec::train {
namespace {

std::filesystem::path plain(const std::string& folder) {
  return (std::filesystem::absolute(folder) / "").lexically_normal();
}

/// Warns of settings of the schedule and of evaluations that have no effect in a run of `last` steps.
void warn_of_idle_settings(const Job& job, Index last, bool evaluates) {
  if (job.schedule.warmup_steps > last)
    log_warning(concat("schedule.warmup_steps is ", job.schedule.warmup_steps, ", but the run has ",
                       counted(last, "step"), ", too few to reach the full learning rate"));
  if (job.optimizer.dense.lr > 0 && float(optim::scheduled_rate(job.schedule, job.optimizer.dense.lr, last)) == 0.0f)
    log_warning(concat("[schedule] lowers the learning rate to 0 before the run ends at step ", last));
  if (job.checkpoint.keep_best && job.evaluate.every_steps == 0)
    log_warning("checkpoint.keep_best is true, but evaluate.every_steps is 0, so the last evaluation is the only one");
  if (job.evaluate.every_steps > 0 && !evaluates)
    log_warning(concat("evaluate.every_steps is ", job.evaluate.every_steps, ", but there are no evaluation data"));
}

}  // namespace

RunLocks::RunLocks(const comm::Communicator& comm, const Job& job) {
  const std::string& path = job.checkpoint.path;
  const bool apart = !path.empty() && job.checkpoint.keep > 0 && plain(path) != plain(job.run.folder());
  comm::agree(comm, [&] {
    if (comm.rank() != 0) return;
    store::make_output_folder(job.run.folder(), "run.output");
    if (apart) store::make_output_folder(path, "checkpoint.path");
  });
  run_.emplace(comm, job.run.folder(), job.run.lock_wait);
  if (apart) checkpoints_.emplace(comm, path, job.run.lock_wait);
}

/// Returns "  cache 93.1 %", the ids of this rank since the last call whose rows its caches had, or "" if the rank
/// has no cache. Rows are pinned one batch ahead, so the last step may have no ids; then it returns the last text.
std::string Progress::hit_rate(const Session& session) {
  embedding::CacheUse now;
  for (const auto& shard : session.model.tables().shards()) now += shard.rows->store().cache_use();
  const embedding::CacheUse use = now.since(std::exchange(cache_, now));
  if (use.pinned == 0) return hit_rate_;
  return hit_rate_ = concat("  cache ", fixed(100 * use.hit_rate(), 1), " %");
}

void Progress::begins(Training& training) {
  const Index last = training.length().last;
  first_step_ = training.position().step;
  first_samples_ = training.position().samples;
  if (first_step_ >= last) log_info(concat("the run was already finished: step ", first_step_, " of ", last));
  if (!training.is_over() && training.session().comm.rank() == 0)
    warn_of_idle_settings(training.session().job, last, evaluates_);
}

void Progress::steps(Training&) {
  if (!timer_) timer_.emplace();
}

void Progress::stepped(Training& training) {
  const Position& at = training.position();
  const Index last = training.length().last;
  const double seconds = timer_->seconds();
  if (at.step < last && seconds - shown_ < 0.2) return;
  shown_ = seconds;
  const double seconds_left = seconds * double(last - at.step) / double(at.step - first_step_);
  const Index whole = seconds_left;
  const auto two_digits = [](Index number) { return right(std::to_string(number), 2, '0'); };
  log_progress(
      concat("step ", at.step, "/", last, "  ", fixed(double(at.samples - first_samples_) / seconds, 0),
             " samples/s  loss ", fixed(training.so_far().loss, 5), hit_rate(training.session()), "  ",
             two_digits(whole / 3600), ":", two_digits(whole / 60 % 60), ":", two_digits(whole % 60), " to go"),
      at.step == last);
}

}  // namespace tesserec::train
