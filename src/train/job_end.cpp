// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <csignal>
#include <limits>
#include <string_view>

#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/slurm.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/train/job_end.hpp>
#include <tesserec/train/training.hpp>

namespace tesserec::train {
namespace {

constexpr double busy_disk = 1.5;      // safety factor: the next checkpoint may be slower than any so far
constexpr double end_of_program = 10;  // seconds for digests, the end of MPI and differing clocks of nodes

}  // namespace

JobEnd::JobEnd() : end_(std::numeric_limits<double>::infinity()) {
  const char* text = slurm_variable("SLURM_JOB_END_TIME");
  if (text == nullptr || std::string_view(text).empty()) return;
  const auto end = parse_number<double>(text);
  if (!end)
    fail("SLURM_JOB_END_TIME is \"", text, "\", which is not a number of seconds since 1970; unset or correct it");
  end_ = *end;
}

double JobEnd::seconds_left() const {
  return end_ - std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

bool JobEnd::is_near(double between_looks, double checkpoint) const {
  return seconds_left() < between_looks + busy_disk * checkpoint + end_of_program;
}

void JobWatch::begins(Training& training) {
  checkpoint_ = training.position().restore_seconds;  // estimate until this process has written a checkpoint
}

void JobWatch::steps(Training&) {
  if (turn_timer_) turn_ = std::max(turn_, turn_timer_->seconds());
  turn_timer_.emplace();
}

void JobWatch::stepped(Training& training) {
  if (const int received = training.session().comm.max(signal()); received != 0) training.stop("signal", received);
}

void JobWatch::saved(Training&, double seconds) { checkpoint_ = std::max(checkpoint_, seconds); }

int JobWatch::signal() const {
  if (first_ && Signals::received() == 0 && end_.is_near(turn_, checkpoint_)) {
    log_info(concat("the job ends in ", fixed(end_.seconds_left(), 0),
                    " s (SLURM_JOB_END_TIME), so the run ends now; a checkpoint takes ", seconds_text(checkpoint_)));
    std::raise(SIGUSR1);
  }
  return Signals::received();
}

}  // namespace tesserec::train
